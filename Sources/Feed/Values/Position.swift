/// A place in a feed. The larger position stands nearer the top.
///
/// In a value feed `order` is the key of the elements, in the unit of their pattern (``KeyUnit``),
/// and `tie` the identity's bytes, so that positions fall as the feed is read. In an observed feed
/// `order` holds the run's epoch and the index in it, and `tie` is empty but for a late item
/// between two others.
public struct Position: Hashable, Comparable, Sendable {
  /// The first part of the key, compared as an integer.
  public var order: Int64
  /// The second part, compared byte by byte as unsigned numbers; the shorter prefix is smaller.
  public var tie: [UInt8]

  /// A position from its two parts.
  @inlinable
  public init(order: Int64, tie: [UInt8]) {
    self.order = order
    self.tie = tie
  }

  /// Whether a place stands below another.
  @inlinable
  public static func < (a: Position, b: Position) -> Bool {
    a.order != b.order ? a.order < b.order : a.tie.lexicographicallyPrecedes(b.tie)
  }
}

/// A cut between positions: elements below it have smaller positions than its own.
///
/// Every bound of a range is a cut, so a range is half-open and one comparison decides:
/// an element lies in `upper > element >= lower`.
public struct Cut: Hashable, Comparable, Sendable {
  /// Elements at positions smaller than this lie below the cut, all others above it.
  public var position: Position

  /// The cut whose lower side begins right below `position`.
  package init(position: Position) {
    self.position = position
  }

  /// The cut above every element there can be.
  package static let top = Cut(position: Position(order: .max, tie: []))
  /// The cut below every element there can be.
  package static let bottom = Cut(position: Position(order: .min, tie: []))

  /// The cut right above an element: the element lies below it.
  package static func above(_ position: Position) -> Cut {
    Cut(position: Position(order: position.order, tie: position.tie + [0]))
  }

  /// The cut right below an element: the element lies above it.
  package static func below(_ position: Position) -> Cut {
    Cut(position: position)
  }

  /// The cut above all elements of a key: of one `order`.
  package static func above(key: Int64) -> Cut {
    Cut(position: Position(order: key.clampedAdding(1), tie: []))
  }

  /// The cut below all elements of a key.
  package static func below(key: Int64) -> Cut {
    Cut(position: Position(order: key, tie: []))
  }

  /// The greatest key whose elements all lie below the cut.
  package var keyBelow: Int64 { position.order.clampedSubtracting(1) }

  /// Whether a cut lies below another.
  @inlinable
  public static func < (a: Cut, b: Cut) -> Bool {
    a.position < b.position
  }

  /// Whether an element at `position` lies above this cut.
  @inlinable
  public func isBelow(_ position: Position) -> Bool {
    position >= self.position
  }
}
