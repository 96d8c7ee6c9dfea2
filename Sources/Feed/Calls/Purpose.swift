/// What an upstream call is for, most needed first.
package enum Purpose: Int, Comparable, CaseIterable, Sendable {
  /// A reader waits for it.
  case reader
  /// The top of a feed somebody reads is stale.
  case head
  /// A client waits for what is in no feed.
  case raw
  /// A known gap is filled behind the scenes.
  case gap
  /// A range proven long ago is looked at again.
  case recheck
  /// What a reader will soon ask for.
  case prefetch

  /// How many times `reserveCalls` have to be left.
  package var reserves: Int {
    switch self {
    case .reader: 0
    case .head, .raw: 1
    case .gap: 2
    case .recheck: 3
    case .prefetch: 4
    }
  }

  package static func < (a: Purpose, b: Purpose) -> Bool {
    a.rawValue < b.rawValue
  }
}
