import Feed

/// Columns of the file as values that arithmetic bears: see ``StoredInteger``.
extension Statement {
  private func stored(_ column: Int32) -> StoredInteger { StoredInteger(integer(column)) }

  /// The row's instant in a column, at most as far from 1970 as the year 9999 is.
  func instant(_ column: Int32) -> Timestamp { stored(column).instant }

  /// The row's instant in a column, or nil for NULL.
  func optionalInstant(_ column: Int32) -> Timestamp? {
    isNull(column) ? nil : instant(column)
  }

  /// The row's text in a column, or nil for NULL; what is no UTF-8 is repaired.
  func optionalText(_ column: Int32) throws(StoreError) -> String? {
    isNull(column) ? nil : String(decoding: try bytes(column), as: UTF8.self)
  }

  /// The row's count in a column, 0 to 2³¹ − 1.
  func count(_ column: Int32) -> Int { stored(column).count }

  /// The row's sequence number in a column, 0 to 2⁵³.
  func sequence(_ column: Int32) -> Int64 { stored(column).sequence }

  /// The number that the row's element took last in a column, below 0 where it was merely learnt.
  func elementSequence(_ column: Int32) -> Int64 { stored(column).elementSequence }

  /// The row's size in bytes in a column.
  func size(_ column: Int32) -> Int64 { stored(column).bytes }

  /// The row's position, whose `order` stands in `column` and whose tie in the one after it.
  func position(_ column: Int32) throws(StoreError) -> Position {
    Position(order: order(column), tie: try bytes(column + 1))
  }

  /// The row's `order` in a column, clamped.
  func order(_ column: Int32) -> Int64 { stored(column).order }

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
