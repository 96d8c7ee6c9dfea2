/// Arithmetic on numbers from outside: a result that does not fit is the end of the range that it
/// would pass, where the plain operators end the process.
extension Int64 {
  /// The sum, or the end of the range that it would pass.
  package func clampedAdding(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the end of the range that it would pass.
  package func clampedSubtracting(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (other > 0 ? .min : .max) : difference
  }

  /// The product, or the end of the range that it would pass.
  package func clampedMultiplied(by other: Int64) -> Int64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
