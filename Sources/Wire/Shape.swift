/// A JSON object of the HTTP API: its members in the order in which they are sent.
///
/// ``all`` is the one table of them. The OpenAPI document is written from it; tests hold each reply
/// and each envelope of this target to it.
package struct Shape: Sendable {
  /// What a member's value may be.
  package indirect enum Value: Hashable, Sendable {
    /// Any text.
    case text
    /// A time, RFC 3339.
    case time
    /// `true` or `false`.
    case flag
    /// A whole number of 0 or more.
    case count
    /// One of these texts.
    case oneOf([String])
    /// An item's identity in its own JSON form: a text or a whole number.
    case identity
    /// An item's own JSON, byte for byte as the upstream sent it.
    case item
    /// The object of this name in ``Shape/all``.
    case object(String)
    /// An array of these.
    case list(Value)
    /// An object with members of any name, each of which is this.
    case map(Value)
    /// This, or `null`.
    case orNull(Value)
  }

  /// A member.
  package struct Member: Sendable {
    /// Its name.
    package let name: String
    /// What it may be.
    package let value: Value
    /// Whether every reply has it.
    package let isRequired: Bool
  }

  /// Its name.
  package let name: String
  /// Its members.
  package let members: [Member]

  private init(
    _ name: String, _ required: KeyValuePairs<String, Value>,
    optional: KeyValuePairs<String, Value> = [:]
  ) {
    self.name = name
    members =
      required.map { Member(name: $0.key, value: $0.value, isRequired: true) }
      + optional.map { Member(name: $0.key, value: $0.value, isRequired: false) }
  }

  /// The shape of this name; nil where there is none.
  package static func named(_ name: String) -> Shape? {
    all.first { $0.name == name }
  }

  /// Every object that the server sends, but for the items' own JSON.
  package static let all: [Shape] = [
    Shape(
      "Slice",
      [
        "items": .list(.item), "limit": .count, "hasMore": .flag, "hasPrevious": .flag,
        "startCursor": .orNull(.text), "endCursor": .orNull(.text), "next": .orNull(.text),
        "previous": .orNull(.text),
        "endReason": .orNull(.oneOf(["range", "end", "upstreamLimit"])),
        "gap": .orNull(.object("Gap")), "seq": .text, "total": .orNull(.object("Total")),
        "proof": joinProof, "freshness": .object("Freshness"),
      ],
      // The last two: in a merged feed.
      optional: [
        "omitted": .count, "origins": .list(.object("Origin")),
        "missing": .list(.object("Missing")),
      ]),
    Shape(
      "Gap", ["id": .text, "skip": .text, "estimatedItems": .count, "sunk": .flag],
      optional: ["parts": .list(.text)]),
    Shape("Origin", ["part": .text, "at": .time], optional: ["shared": .text]),
    Shape(
      "Missing",
      [
        "part": .text,
        "reason": .oneOf([
          "unavailable", "limited", "timeout", "behind", "wall", "unordered", "gap",
        ]), "from": .orNull(.time), "to": .orNull(.time), "retryAfterSeconds": .orNull(.count),
      ]),
    Shape("Total", ["value": .count, "asOf": .time]),
    Shape(
      "Freshness",
      [
        "state": .oneOf(["fresh", "stale", "expired"]), "checkedAt": .time, "provenAt": .time,
      ]),
    Shape(
      "Changes",
      [
        "changes": .list(.object("Change")), "limit": .count, "hasMore": .flag,
        "nextSince": .text, "next": .orNull(.text),
      ],
      // Only where the top was looked at first.
      optional: ["total": .orNull(.object("Total")), "freshness": .object("Freshness")]),
    Shape(
      "Change", ["op": .oneOf(["upsert", "remove", "delete"]), "seq": .text, "id": .identity],
      optional: [
        "moved": .flag, "cursor": .text, "item": .item, "part": .text, "at": .time,
        "shared": .text,
      ]),
    // In an event stream only.
    Shape("Reset", ["op": .oneOf(["reset"]), "seq": .text]),
    Shape(
      "Status",
      [
        "feed": .text, "order": order, "items": .count, "total": .orNull(.object("Total")),
        "seq": .text, "freshness": .orNull(.object("Freshness")), "runs": .list(.object("Run")),
        "gaps": .list(.object("OpenGap")), "joins": .object("Joins"), "unusable": .count,
        "budget": .object("Budget"), "flight": .orNull(.object("Flight")),
        "policy": .object("Policy"), "wall": .orNull(.count), "listeners": .count,
      ],
      // A refresh has the first, a merged feed the others.
      optional: [
        "calls": .count, "watermark": .orNull(.time), "parts": .list(.object("PartStatus")),
      ]),
    Shape(
      "PartStatus",
      [
        "part": .text, "feed": .text, "optional": .flag, "counted": .flag,
        "settledTo": .orNull(.time), "provenTo": .orNull(.time),
        "freshness": .orNull(.object("Freshness")), "gaps": .count,
        "endReason": .orNull(.oneOf(["range", "end", "upstreamLimit"])),
        "retryAfterSeconds": .orNull(.count),
      ]),
    Shape(
      "Run",
      [
        "items": .count, "checkedAt": .time, "provenAt": .time, "reachesEnd": .flag,
        "rank": .count, "startCursor": .text, "endCursor": .text,
        "proofs": .list(.object("RunProof")),
      ]),
    Shape("RunProof", ["items": .count, "provenAt": .time]),
    Shape("Policy", ["freshSeconds": .count, "recheckSeconds": .count, "staleSeconds": .count]),
    Shape(
      "Joins",
      [
        "value": .count, "sight": .count, "whole": .count, "count": .count, "upstream": .count,
        "none": .count,
      ]),
    Shape("OpenGap", ["id": .text, "estimatedItems": .count, "sunk": .flag, "rank": .count]),
    Shape("Budget", ["limit": .orNull(.count), "remaining": .count, "resetAt": .orNull(.time)]),
    Shape(
      "Flight",
      [
        "purpose": purpose, "page": .count, "perPage": .count,
      ]),
    Shape(
      "Filling",
      [
        "filled": .flag, "calls": .count, "gap": .orNull(.object("OpenGap")),
        "budget": .object("Budget"),
      ]),
    Shape("Purge", ["purged": .count]),
    Shape(
      "Server",
      [
        "version": .text, "startedAt": .time, "drains": .flag, "connections": .count,
        "listeners": .count, "store": .object("StoreLoad"),
        "sources": .map(.object("SourceStatus")),
      ]),
    Shape(
      "StoreLoad", ["bytes": .count, "bytesMax": .count, "feeds": .count, "feedsMax": .count]),
    Shape(
      "SourceStatus",
      [
        "kind": .oneOf(["qiita", "http", "file", "merged"]), "budget": .object("Budget"),
        "flights": .list(.object("SentFlight")), "feeds": .count, "gaps": .count,
        "policy": .object("Policy"), "failure": .orNull(.object("Failure")),
      ]),
    Shape(
      "SentFlight",
      [
        "feed": .text, "purpose": purpose, "page": .orNull(.count), "perPage": .orNull(.count),
        "sentAt": .time,
      ]),
    Shape("Failure", ["outcome": .text, "at": .time]),
    Shape("Calls", ["boot": .text, "calls": .list(.object("Call")), "next": .count]),
    Shape(
      "Call",
      [
        "number": .count, "feed": .text, "purpose": purpose, "page": .orNull(.count),
        "perPage": .orNull(.count), "sentAt": .time, "milliseconds": .count, "outcome": .text,
        "elements": .orNull(.count), "remaining": .count,
      ]),
    Shape(
      "StoredFeeds",
      ["feeds": .list(.object("StoredFeed")), "hasMore": .flag, "next": .orNull(.text)]),
    Shape(
      "StoredFeed",
      [
        "feed": .text, "path": .text, "query": .orNull(.text), "order": order, "items": .count,
        "runs": .count, "gaps": .count, "checkedAt": .orNull(.time), "readAt": .orNull(.time),
        "bytes": .count,
      ]),
    Shape(
      "Index",
      [
        "sources": .map(.object("Source")), "explorer": .oneOf(["off", "feeds", "all"]),
        "demo": .flag,
      ]),
    Shape("Source", ["feeds": .list(.object("Pattern"))]),
    Shape(
      "Pattern",
      [
        "pattern": .text, "order": order, "query": .flag, "identity": .orNull(.text),
        "variables": .list(.text), "parameters": .list(.text), "one": .flag,
      ],
      // In a merged feed.
      optional: ["parts": .list(.object("Part"))]),
    Shape("Part", ["part": .text, "feed": .text, "identity": .orNull(.text)]),
    Shape("State", ["status": .text]),
    Shape(
      "Problem",
      [
        "type": .text, "title": .text, "status": .count, "detail": .text,
        "code": .oneOf(ProblemCode.allCases.map(\.rawValue)),
      ],
      optional: [
        "parameter": .text, "part": .text, "requestId": .text, "retryAfterSeconds": .count,
      ]),
    Shape("QiitaError", ["message": .text, "type": .text]),
  ]

  private static let joinProof = Value.oneOf([
    "value", "sight", "whole", "count", "upstream", "none",
  ])

  private static let purpose = Value.oneOf(["reader", "head", "raw", "gap", "recheck", "prefetch"])

  private static let order = Value.oneOf(["value", "observed", "whole"])
}
