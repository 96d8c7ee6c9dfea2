import ArgumentParser

/// Reads an option's whole number and says what is allowed when it is none of these.
func number(in allowed: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
  { text in
    guard let number = Int(text), allowed.contains(number) else {
      throw ValidationError(
        "a whole number from \(allowed.lowerBound) to \(allowed.upperBound) is allowed")
    }
    return number
  }
}
