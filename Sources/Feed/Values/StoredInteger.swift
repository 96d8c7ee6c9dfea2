/// An integer that a store's row or text holds, as values that arithmetic bears.
///
/// Anybody who may write to a store, and damage that it does not see, can put any 64-bit integer
/// into a column. What lies outside its range is clamped here, where it is read: a wrong estimate
/// heals by the next answers, an overflow would end the process at each start. Numbers that are
/// only compared, such as keys of rows and random stamps, need no range.
package struct StoredInteger: Hashable, Sendable {
  /// The furthest instant from 1970 that is believed, the end of the year 9999. Milliseconds.
  private static let instantMagnitudeMax: Int64 = 253_402_300_799_999
  /// The furthest `order` of a place from 0: four epochs of positions (``ObservedPosition``) are
  /// left beyond it to count on.
  package static let orderMagnitudeMax = Int64.max - (1 << 34)
  /// The largest count, rank or number of calls.
  package static let countMax = Int64(Int32.max)
  /// The largest sequence number: a thousand years of a thousand changes a second lie below.
  package static let sequenceMax: Int64 = 1 << 53
  /// The most bytes that one row counts as: 1 TB.
  package static let bytesMax: Int64 = 1 << 40

  /// As it is stored.
  package let value: Int64

  /// What is stored.
  package init(_ value: Int64) {
    self.value = value
  }

  /// An instant, from milliseconds since 1970; at most as far from 1970 as the year 9999 is.
  package var instant: Timestamp {
    Timestamp(
      milliseconds: clamped(
        to: -StoredInteger.instantMagnitudeMax...StoredInteger.instantMagnitudeMax))
  }

  /// A count, 0 to 2³¹ − 1.
  package var count: Int { Int(clamped(to: 0...StoredInteger.countMax)) }

  /// A number of either sign that is added and multiplied, at most 2⁵³ from 0.
  var number: Int {
    Int(clamped(to: -StoredInteger.sequenceMax...StoredInteger.sequenceMax))
  }

  /// A number that changes take, 0 to 2⁵³.
  package var sequence: Int64 { clamped(to: 0...StoredInteger.sequenceMax) }

  /// The number that an element took last, below 0 where it was merely learnt: at most 2⁵³ from 0.
  package var elementSequence: Int64 {
    clamped(to: -StoredInteger.sequenceMax...StoredInteger.sequenceMax)
  }

  /// The `order` of a place, at most ``orderMagnitudeMax`` from 0.
  package var order: Int64 {
    clamped(to: -StoredInteger.orderMagnitudeMax...StoredInteger.orderMagnitudeMax)
  }

  /// A size in bytes, 0 to ``bytesMax``.
  package var bytes: Int64 { clamped(to: 0...StoredInteger.bytesMax) }

  private func clamped(to range: ClosedRange<Int64>) -> Int64 {
    min(max(range.lowerBound, value), range.upperBound)
  }
}
