/// What a store holds in memory because it cannot be written.
package protocol WriteHolding: Sendable {
  /// Whether anything is held in memory because it cannot be written.
  var isHolding: Bool { get }

  /// A number for the time since when changes of a feed are held, another each time; nil while
  /// all that was committed of it is written.
  func holdingPeriod(of feed: FeedID) -> Int?

  /// Writes what is held, as far as that works now. Returns the numbers that feeds came to by it.
  func recover() -> [(feed: String, sequence: Int64)]

  /// Forgets what is held of a source's feeds. Its readers must not go by it any more.
  func discardBuffered(of source: String)
}

/// A store that writes immediately what it is given, and holds nothing back.
package protocol UnbufferedStore: WriteHolding {}

// Not on WriteHolding itself: where the module of a store that holds is not imported, the compiler
// would take these for its own.
extension UnbufferedStore {
  /// Never.
  package var isHolding: Bool { false }

  /// None.
  package func holdingPeriod(of feed: FeedID) -> Int? { nil }

  /// Nothing is to be written.
  package func recover() -> [(feed: String, sequence: Int64)] { [] }

  /// Nothing is held.
  package func discardBuffered(of source: String) {}
}
