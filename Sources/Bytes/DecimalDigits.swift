/// Gives a whole number's decimal digits, behind its sign where it is negative, to `body`.
@inlinable
public func withDecimalDigits(
  of number: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Void
) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
    var start = digits.count
    var rest = number.magnitude
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if number < 0 {
      start -= 1
      digits[start] = UInt8(ascii: "-")
    }
    body(UnsafeBufferPointer(rebasing: digits[start...]))
  }
}
