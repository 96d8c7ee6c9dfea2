import Bytes

/// A part of a content, by its bytes (RFC 9110 §14).
package enum ByteRange {
  /// What a request asks of a content.
  package enum Wanted: Hashable, Sendable {
    /// All of it.
    case all
    /// A part, by the places of its first and its last byte.
    case part(ClosedRange<Int>)
    /// A part that it does not have: 416.
    case none
  }

  /// What a GET asks of an answer's content of `size` bytes.
  ///
  /// One range of bytes is cut from a complete 200; anything else that a client asks for is passed
  /// over, as it may be (§14.2): several ranges, other units, what breaks the grammar, a part of
  /// what `If-Range` does not name strongly (§13.1.5).
  package static func wanted(
    of answer: StoredAnswer, size: Int, for request: FieldList
  ) -> Wanted {
    guard answer.status == 200, let text = request.single("range"),
      let (first, last) = bounds(of: text), isCurrent(answer, for: request)
    else { return .all }
    guard let first else {
      guard let count = last, count > 0, size > 0 else { return .none }
      return .part(max(0, size - count)...(size - 1))
    }
    if let last, last < first { return .all }
    guard first < size else { return .none }
    return .part(first...min(last ?? size - 1, size - 1))
  }

  /// The bounds of a single range: `bytes=0-4`, `bytes=5-`, `bytes=-3`.
  private static func bounds(of text: [UInt8]) -> (first: Int?, last: Int?)? {
    let unit = text.prefix { $0 != UInt8(ascii: "=") }
    guard String(decoding: unit, as: UTF8.self).lowercased() == "bytes" else { return nil }
    let range = FieldText.trimmed(text[unit.endIndex...].dropFirst())
    guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
    let (from, to) = (range[..<dash], range[(dash + 1)...])
    guard !(from.isEmpty && to.isEmpty) else { return nil }
    guard let first = number(from), let last = number(to) else { return nil }
    return (first, last)
  }

  /// A number, nil inside for none; nil where it is something else.
  private static func number(_ text: ArraySlice<UInt8>) -> Int?? {
    guard !text.isEmpty else { return .some(nil) }
    guard let number = FieldText.deltaSeconds(text) else { return nil }
    return .some(Int(number))
  }

  private static func isCurrent(_ answer: StoredAnswer, for request: FieldList) -> Bool {
    guard request.has("if-range") else { return true }
    guard let named = request.single("if-range") else { return false }
    if named.first == UInt8(ascii: "\"") { return answer.entityTag == named }
    // A date is a strong validator only where it was not changed within a minute (§8.8.2.2).
    guard let date = HTTPDate.fixdate(named) else { return false }
    return answer.lastModified == date && answer.respondedAt / 1_000 - date > 60
  }
}
