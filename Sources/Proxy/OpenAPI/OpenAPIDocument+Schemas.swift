import Feed
import Wire

extension OpenAPIDocument {
  /// The answers when all is well.
  static var answers: String {
    let plain = ["X-Request-Id", "Cache-Control"]
    let cached = plain + ["ETag", "Vary"]
    let fresh = cached + ["Age", "Cache-Status"]
    let rates = ["Rate-Limit", "Rate-Remaining", "Rate-Reset"]
    return [
      answer("Slice", "A slice", json("Slice"), fresh + ["Link"]),
      answer("Item", "The item's own JSON", json("Item"), fresh),
      answer("Page", "The items' own JSON", json("Page"), fresh + rates + ["Link", "Total-Count"]),
      answer("Single", "Its own JSON", json("Item"), fresh + rates),
      answer("Status", "How the feed stands", json("Status"), plain),
      answer("Filling", "How far the gap was filled", json("Filling"), plain),
      answer("Changes", "What changed", json("Changes"), plain),
      answer(
        "Events", "Server-sent events: id is a seq, data one change",
        #""text/event-stream":{"schema":{"type":"string"}}"#, plain),
      answer("Index", "Sources by name", json("Index"), plain),
      answer("State", "All is well", json("State"), plain),
      answer("Metrics", "Metrics", #""text/plain":{"schema":{"type":"string"}}"#, plain),
      answer(
        "Document", "The document", #""application/json":{"schema":{"type":"object"}}"#, cached),
      answer("Unchanged", "What the client has is still so", "", fresh),
    ].joined(separator: ",\n")
  }

  private static func json(_ schema: String) -> String {
    ##""application/json":{"schema":{"$ref":"#/components/schemas/\##(schema)"}}"##
  }

  private static func answer(
    _ name: String, _ description: String, _ content: String, _ headers: [String]
  ) -> String {
    let fields = headers.map { ##""\##($0)":{"$ref":"#/components/headers/\##($0)"}"## }
    let body = content.isEmpty ? "" : #","content":{\#(content)}"#
    return """
      "\(name)":{"description":"\(description)",
      "headers":{\(fields.joined(separator: ",\n"))}\(body)}
      """
  }

  /// An object all of whose members are always there.
  private static func object(_ name: String, _ members: KeyValuePairs<String, String>) -> String {
    let names = members.map { "\"\($0.key)\"" }.joined(separator: ",")
    let properties = members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",\n")
    return """
      "\(name)":{"type":"object","required":[\(names)],
      "properties":{\(properties)}}
      """
  }

  private static let string = #"{"type":"string"}"#
  private static let time = #"{"type":"string","format":"date-time"}"#
  private static let flag = #"{"type":"boolean"}"#
  private static let count = #"{"type":"integer","minimum":0}"#
  private static let textOrNull = #"{"type":["string","null"]}"#

  private static func one(of names: [String], orNull: Bool = false) -> String {
    let values = names.map { "\"\($0)\"" } + (orNull ? ["null"] : [])
    return #"{"enum":[\#(values.joined(separator: ","))]}"#
  }

  private static let order = one(of: FeedOrder.allCases.map(\.rawValue))

  private static func some(_ name: String) -> String {
    ##"{"$ref":"#/components/schemas/\##(name)"}"##
  }

  private static func orNull(_ schema: String) -> String {
    #"{"anyOf":[\#(schema),{"type":"null"}]}"#
  }

  private static func list(of schema: String) -> String {
    #"{"type":"array","items":\#(schema)}"#
  }

  /// What answers are made of.
  static var schemas: String {
    [
      #""Item":{"type":"object","description":"As the upstream sent it, byte for byte"}"#,
      #""Page":{"type":"array","items":{"type":"object"}}"#,
      object(
        "Slice",
        [
          "items": list(of: some("Item")), "limit": count, "hasMore": flag, "hasPrevious": flag,
          "startCursor": textOrNull, "endCursor": textOrNull, "next": textOrNull,
          "previous": textOrNull,
          "endReason": one(of: EndReason.allCases.map(\.rawValue), orNull: true),
          "gap": orNull(some("Gap")), "seq": string, "total": orNull(some("Total")),
          "freshness": some("Freshness"),
        ]),
      object("Gap", ["id": string, "skip": string]),
      object("Total", ["value": count, "asOf": time]),
      object(
        "Freshness",
        [
          "state": one(of: Freshness.State.allCases.map(\.rawValue)), "checkedAt": time,
          "provenAt": time,
        ]),
      object(
        "Changes",
        [
          "changes": list(of: some("Change")), "limit": count, "hasMore": flag,
          "nextSince": string, "next": textOrNull,
        ]),
      """
      "Change":{"type":"object","required":["op","seq"],
      "properties":{"op":{"enum":["upsert","remove","delete"]},"seq":\(string),"cursor":\(string),
      "item":\(some("Item")),"id":{"type":["string","integer"]}}}
      """,
      status,
      object(
        "Run", ["items": count, "checkedAt": time, "provenAt": time, "reachesEnd": flag]),
      object("OpenGap", ["id": string, "estimatedItems": count, "sunk": flag]),
      object(
        "Budget",
        [
          "limit": #"{"type":["integer","null"]}"#, "remaining": count, "resetAt": orNull(time),
        ]),
      object(
        "Flight",
        [
          "purpose": one(of: Purpose.allCases.map { "\($0)" }), "page": count, "perPage": count,
        ]),
      object(
        "Filling",
        [
          "filled": flag, "calls": count, "gap": orNull(some("OpenGap")), "budget": some("Budget"),
        ]),
      object(
        "Index",
        ["sources": #"{"type":"object","additionalProperties":\#(some("Source"))}"#]),
      object("Source", ["feeds": list(of: some("Pattern"))]),
      object(
        "Pattern",
        ["pattern": string, "order": order, "query": flag]),
      object("State", ["status": string]),
      """
      "Problem":{"type":"object","required":["type","title","status","detail","code"],
      "properties":{"type":\(string),"title":\(string),"status":{"type":"integer"},
      "detail":\(string),"code":\(some("Code")),"parameter":\(string),"requestId":\(string),
      "retryAfterSeconds":\(count)}}
      """,
      "\"Code\":\(one(of: ProblemCode.allCases.map(\.rawValue)))",
      object("QiitaError", ["message": string, "type": string]),
    ].joined(separator: ",\n")
  }

  /// How a feed stands; `calls` is told by a refresh only.
  private static var status: String {
    """
    "Status":{"type":"object","required":["feed","order","items","total","seq","freshness",
    "runs","gaps","unusable","budget","flight"],"properties":{"feed":\(string),
    "order":\(order),"calls":\(count),"items":\(count),
    "total":\(orNull(some("Total"))),"seq":\(string),
    "freshness":\(orNull(some("Freshness"))),"runs":\(list(of: some("Run"))),
    "gaps":\(list(of: some("OpenGap"))),"unusable":\(count),"budget":\(some("Budget")),
    "flight":\(orNull(some("Flight")))}}
    """
  }
}
