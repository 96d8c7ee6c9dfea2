import Bytes

/// What a client has already, by the conditions of its request (RFC 9110 §13, RFC 9111 §4.3.2).
package enum Preconditions {
  /// Whether an answer is what a client has: then 304 says it all.
  ///
  /// `If-None-Match` is compared weakly, and `If-Modified-Since` counts only without it (RFC 9110
  /// §13.2.2).
  package static func isUnchanged(_ answer: StoredAnswer, for request: FieldList) -> Bool {
    guard statuses.contains(answer.status) else { return false }
    if let tags = request.combined("if-none-match") {
      guard let own = answer.entityTag else { return tags == [UInt8(ascii: "*")] }
      return FieldText.elements(tags).contains { $0 == [UInt8(ascii: "*")] || isSame($0, own) }
    }
    guard let since = request.single("if-modified-since") else { return false }
    let seconds = HTTPDate.parse(since, now: answer.respondedAt / 1_000)
    return seconds.map { answer.modified <= $0 } ?? false
  }

  /// The statuses that conditions are of: those of success (RFC 9110 §13.2.1).
  private static let statuses: Set = [200, 203, 204]

  /// Whether a 304 is of a stored answer: not where the two have other tags (RFC 9111 §4.3.4).
  package static func isValidated(_ stored: StoredAnswer, by answer: StoredAnswer) -> Bool {
    guard let tag = stored.entityTag, let other = answer.entityTag else { return true }
    return isSame(tag, other)
  }

  /// Weak comparison (RFC 9110 §8.8.3.2).
  private static func isSame(_ tag: [UInt8], _ other: [UInt8]) -> Bool {
    opaque(tag) == opaque(other)
  }

  private static func opaque(_ tag: [UInt8]) -> ArraySlice<UInt8> {
    tag.starts(with: "W/".utf8) ? tag[2...] : tag[...]
  }

  /// What an answer is validated with; empty where it has no validator (RFC 9111 §4.3.1).
  package static func validators(of answer: StoredAnswer) -> [FieldLine] {
    var lines: [FieldLine] = []
    if let tag = answer.entityTag { lines.append(FieldLine("If-None-Match", tag)) }
    if let modified = answer.fields.single("last-modified"), answer.lastModified != nil {
      lines.append(FieldLine("If-Modified-Since", modified))
    }
    return lines
  }

  /// The fields of a 304: those of the response, but for fields that describe its content.
  package static func fieldsOfNotModified(_ fields: FieldList) -> FieldList {
    fields.without(["content-length", "content-type", "content-encoding", "content-range"])
  }
}
