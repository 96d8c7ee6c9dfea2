/// What an upstream call is for, most needed first.
package enum Purpose: Int, Comparable, CaseIterable, Sendable {
  /// A reader waits for it.
  case reader
  /// The top of a feed somebody reads is stale.
  case head
  /// A known gap is filled behind the scenes.
  case gap
  /// A range proven long ago is looked at again.
  case recheck
  /// What a reader will soon ask for.
  case prefetch

  package static func < (a: Purpose, b: Purpose) -> Bool {
    a.rawValue < b.rawValue
  }
}
