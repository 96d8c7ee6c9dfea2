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
      answer("Status", "The feed's status", json("Status"), plain),
      answer("Filling", "How far the gap was filled", json("Filling"), plain),
      answer("Changes", "What changed", json("Changes"), plain),
      answer(
        "Events", "Server-sent events: id is a seq, data one change",
        #""text/event-stream":{"schema":{"type":"string"}}"#, plain),
      answer("Raw", "As the upstream answered, of any type", #""*/*":{}"#, fresh + ["Via"]),
      answer(
        "RawPart", "A range of it", #""*/*":{}"#, fresh + ["Via", "Content-Range"]),
      answer(
        "RawOther", "Any other status as the upstream answered it, or a problem of this server",
        #""*/*":{},"# + json("Problem", as: "application/problem+json"), plain),
      answer("Purge", "How many answers went", json("Purge"), plain),
      answer("Index", "Sources by name", json("Index"), plain),
      answer("Server", "Its status", json("Server"), plain),
      answer("Calls", "Calls, the oldest first", json("Calls"), plain),
      answer("StoredFeeds", "Feeds", json("StoredFeeds"), plain),
      answer(
        "Explorer", "The page", #""text/html":{"schema":{"type":"string"}}"#, cached),
      answer("State", "All is well", json("State"), plain),
      answer("Metrics", "Metrics", #""text/plain":{"schema":{"type":"string"}}"#, plain),
      answer(
        "Document", "The document", #""application/json":{"schema":{"type":"object"}}"#, cached),
      answer("Unchanged", "What the client has is still so", "", fresh + ["Link"]),
    ].joined(separator: ",\n")
  }

  private static func json(_ schema: String, as type: String = "application/json") -> String {
    ##""\##(type)":{"schema":{"$ref":"#/components/schemas/\##(schema)"}}"##
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

  /// What replies are made of: ``Shape/all``, and the items as the upstream has them.
  static var schemas: String {
    let items = [
      #""Item":{"type":"object","description":"As the upstream sent it, byte for byte"}"#,
      #""Page":{"type":"array","items":{"type":"object"}}"#,
    ]
    return (items + Shape.all.map(schema(of:))).joined(separator: ",\n")
  }

  private static func schema(of shape: Shape) -> String {
    let required = shape.members.filter(\.isRequired).map { text($0.name) }
    let properties = shape.members.map { "\(text($0.name)):\(schema(of: $0.value))" }
    return """
      \(text(shape.name)):{"type":"object","required":[\(required.joined(separator: ","))],
      "properties":{\(properties.joined(separator: ",\n"))}}
      """
  }

  private static func schema(of value: Shape.Value) -> String {
    switch value {
    case .text: #"{"type":"string"}"#
    case .time: #"{"type":"string","format":"date-time"}"#
    case .flag: #"{"type":"boolean"}"#
    case .count: #"{"type":"integer","minimum":0}"#
    case .oneOf(let names): #"{"enum":[\#(names.map(text).joined(separator: ","))]}"#
    case .identity: #"{"type":["string","integer"]}"#
    case .item: schema(of: .object("Item"))
    case .object(let name): ##"{"$ref":"#/components/schemas/\##(name)"}"##
    case .list(let value): #"{"type":"array","items":\#(schema(of: value))}"#
    case .map(let value): #"{"type":"object","additionalProperties":\#(schema(of: value))}"#
    case .orNull(let value): #"{"anyOf":[\#(schema(of: value)),{"type":"null"}]}"#
    }
  }
}
