import JSONBytes

/// The parts of a slice that a walk needs: the items' bytes, and `next`.
struct WalkedSlice: Equatable {
  /// Each item's JSON, byte for byte.
  var items: [ArraySlice<UInt8>]
  /// The URL of the next slice; nil at the end.
  var next: String?
  /// Why there is no more.
  var endReason: String?
  /// Whether items follow on it that the upstream no longer shows, which `next` passes.
  var hasSunkGap: Bool
  /// How old it is: `fresh`, `stale` or `expired`.
  var freshness: String?

  /// Reads a slice's envelope. Unknown members are passed over.
  ///
  /// - Throws: what `JSON` finds wrong; `.notAnArray` when there are no items.
  init(envelope: [UInt8]) throws(JSONError) {
    let body = envelope[...]
    let members = try JSON.members(["items", "next", "endReason"], of: body)
    guard let items = members[0] else { throw .notAnArray }
    self.items = try JSON.elements(of: body[items]).map { body[$0] }
    next = try WalkedSlice.text(members[1], of: body)
    endReason = try WalkedSlice.text(members[2], of: body)
    let sunk = try JSON.member(at: ["gap", "sunk"], of: body)
    hasSunkGap = sunk.map { body[$0].elementsEqual("true".utf8) } ?? false
    freshness = try WalkedSlice.text(
      try JSON.member(at: ["freshness", "state"], of: body), of: body)
  }

  /// A text; nil for `null` or nothing.
  private static func text(
    _ range: Range<Int>?, of body: ArraySlice<UInt8>
  ) throws(JSONError) -> String? {
    guard let range, !body[range].elementsEqual("null".utf8) else { return nil }
    return String(decoding: try JSON.text(body[range]), as: UTF8.self)
  }
}
