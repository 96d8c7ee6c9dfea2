/// What an answer says of itself, held against itself and against what is known: an answer that
/// contradicts either proves nothing, and what is stored stands.
extension Page {
  /// The newest time of an element; nil without any.
  package var newest: Int64? { items.compactMap(\.item.key).max() }

  /// Why an answer cannot be what was asked for; nil where it may be.
  ///
  /// - Elements of which none can be used show nothing of the feed, so they are not its end.
  /// - What is asked for by an instant may begin a second above it: where keys show whole seconds,
  ///   that is asked for, for the upstream may know more of an instant than it shows.
  package func contradiction(
    to window: Window, order: FeedOrder, unit: KeyUnit
  ) -> FetchError? {
    let isUsable = { (slot: Slot) in order != .value || slot.item.key != nil }
    if count > 0, !items.contains(where: isUsable) {
      return .malformed(reason: "none of its \(count) elements can be used")
    }
    // What comes whole is replaced by whatever comes; a total it does not reach is said as such.
    guard order != .whole else { return nil }
    let keyMax = window.keyMax?.clampedAdding(unit == .milliseconds ? 1_000 : 0)
    if let keyMax, items.contains(where: { $0.item.key ?? keyMax > keyMax }) {
      return .malformed(reason: "it begins above the place that was asked for")
    }
    if let nextMark, nextMark.utf8.count > Window.markBytesMax {
      return .malformed(
        reason: "what names the next page has more than \(Window.markBytesMax) bytes")
    }
    return nil
  }

  /// Whether it is a first page with nothing on it, of a feed that has elements as the same answer
  /// says; nil where it says nothing of that. Where more can be asked for by its rank it is one of
  /// `perPageMax` elements: those of a smaller one may be hidden from us.
  package func isHollow(in window: Window, paging: Paging, perPageMax: Int) -> Bool? {
    guard count == 0 else { return false }
    let isWhole = window.perPage >= perPageMax || !paging.isRanked
    let hasSome = hasNext || isEndDoubted || total ?? 0 > 0
    return window.isTop && isWhole && hasSome ? true : nil
  }

  /// Whether it counts its list otherwise than its total does, in a window that begins at an exact
  /// rank: of pages of one size, the one that is not full ends the list. Nil where it counts
  /// nothing, as a full page, or an empty one that begins where the list ends.
  package func deniesTotal(in window: Window) -> Bool? {
    let end = window.firstRank + count
    guard let total, count < window.perPage, count > 0 || total > end else { return nil }
    return total != end
  }
}

extension Evidence {
  /// The least number of elements of which one may stand out of order, as those do that came late.
  package static let elementsEach = 20

  /// Whether its elements stand in another order than that of their keys; nil where they are too
  /// few to say so.
  package var isDisordered: Bool? {
    let displaced = elements.count(where: \.isDisplaced)
    if displaced > 1, displaced * Evidence.elementsEach > elements.count { return true }
    return elements.count > 1 ? false : nil
  }
}
