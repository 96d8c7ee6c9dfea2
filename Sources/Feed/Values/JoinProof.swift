/// What it rests on that two elements which are served side by side are neighbours upstream.
package enum JoinProof: String, CaseIterable, Comparable, Sendable {
  /// One answer shows the place, and says by its keys that nothing else stands there.
  case value
  /// One answer shows known neighbours, in their order.
  case sight
  /// One answer brought everything.
  case whole
  /// Two pages side by side, the list no shorter at the second: nothing was skipped where the
  /// upstream only adds above.
  case count
  /// The upstream's word: the page that its own token, or link, leads to.
  case upstream
  /// Nothing: answers were laid side by side. Nothing stands twice and the order is kept, but
  /// something may be missing between them.
  case none

  /// Whether the promise holds: nothing twice, nothing missing.
  package var isProven: Bool { self > .count }

  /// Which is taken for weaker.
  package static func < (a: JoinProof, b: JoinProof) -> Bool { a.strength < b.strength }

  private var strength: Int {
    switch self {
    case .none: 0
    case .upstream: 1
    case .count: 2
    case .whole, .sight, .value: 3
    }
  }

  /// What a feed of an order is proven by where nothing is taken on trust.
  package init(_ order: FeedOrder) {
    self =
      switch order {
      case .value: .value
      case .observed: .sight
      case .whole: .whole
      }
  }
}
