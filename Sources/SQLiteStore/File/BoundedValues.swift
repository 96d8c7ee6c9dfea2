import Feed

/// Integers of the file as values that arithmetic bears.
///
/// Anybody who may write the file, and damage that SQLite does not see, can put any 64-bit integer
/// into a column. What lies outside its range is clamped here, where it is read: a wrong estimate
/// heals by the next answers, an overflow would end the process at each start.
extension Statement {
  /// The furthest instant from 1970 that is believed, the end of the year 9999.
  private static let instantMagnitudeMax: Int64 = 253_402_300_799_999
  /// The furthest `order` of a place from 0: four epochs of positions (``ObservedPosition``) are
  /// left beyond it to count on.
  static let orderMagnitudeMax = Int64.max - (1 << 34)
  /// The largest count, rank or number of calls.
  private static let countMax = Int64(Int32.max)
  /// The largest sequence number: a thousand years of a thousand changes a second lie below.
  private static let sequenceMax: Int64 = 1 << 53

  /// The row's instant in a column, at most as far from 1970 as the year 9999 is.
  func instant(_ column: Int32) -> Timestamp {
    let bound = Statement.instantMagnitudeMax
    return Timestamp(milliseconds: min(max(-bound, integer(column)), bound))
  }

  /// The row's instant in a column, or nil for NULL.
  func optionalInstant(_ column: Int32) -> Timestamp? {
    isNull(column) ? nil : instant(column)
  }

  /// The row's text in a column, or nil for NULL; what is no UTF-8 is repaired.
  func optionalText(_ column: Int32) throws(StoreError) -> String? {
    isNull(column) ? nil : String(decoding: try bytes(column), as: UTF8.self)
  }

  /// The row's count in a column, 0 to 2³¹ − 1.
  func count(_ column: Int32) -> Int {
    Int(min(max(0, integer(column)), Statement.countMax))
  }

  /// The row's sequence number in a column, 0 to 2⁵³.
  func sequence(_ column: Int32) -> Int64 {
    min(max(0, integer(column)), Statement.sequenceMax)
  }

  /// The row's position, whose `order` stands in `column` and whose tie in the one after it.
  func position(_ column: Int32) throws(StoreError) -> Position {
    Position(order: order(column), tie: try bytes(column + 1))
  }

  /// The row's `order` in a column, at most ``orderMagnitudeMax`` from 0.
  func order(_ column: Int32) -> Int64 {
    min(max(-Statement.orderMagnitudeMax, integer(column)), Statement.orderMagnitudeMax)
  }

  /// The row's cut, kept as a position is; the largest and the least integer are the top and
  /// bottom.
  func cut(_ column: Int32) throws(StoreError) -> Cut {
    switch integer(column) {
    case .max: .top
    case .min: .bottom
    default: Cut(position: try position(column))
    }
  }
}
