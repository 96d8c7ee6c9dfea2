import ArgumentParser

/// Reads an option's whole number and says what is allowed when it is none of these.
func number(in allowed: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
  { text in
    guard let number = Int(text), allowed.contains(number) else {
      let upper = allowed.upperBound == .max ? "on" : "to \(allowed.upperBound)"
      throw ValidationError("a whole number from \(allowed.lowerBound) \(upper) is allowed")
    }
    return number
  }
}
