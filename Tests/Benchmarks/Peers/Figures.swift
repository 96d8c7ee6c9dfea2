/// What a row of the table says: a figure, its goal, and what was measured.
struct Row {
  var figure: String
  var goal: String
  var measured: String
  /// Whether the goal was reached; nil where there is none, or it could not be measured.
  var isReached: Bool?

  /// The row as a line of a Markdown table.
  var line: String {
    let mark = isReached.map { $0 ? "yes" : "no" } ?? ""
    return "| \(figure) | \(goal) | \(measured) | \(mark) |"
  }
}

extension [Double] {
  /// The value in the middle of the sorted values; 0 of none.
  var median: Double { quantile(0.5) }

  /// The value below which this share of the values lies.
  func quantile(_ share: Double) -> Double {
    let sorted = self.sorted()
    return isEmpty ? 0 : sorted[Swift.min(count - 1, Int(Double(count) * share))]
  }
}

extension Double {
  /// With two decimals.
  var short: String {
    let hundredths = (self * 100).rounded()
    guard hundredths.isFinite, abs(hundredths) < 1e15 else { return "\(self)" }
    let cents = Int(abs(hundredths)) % 100
    let sign = hundredths < 0 ? "-" : ""
    return "\(sign)\(Int(abs(hundredths)) / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}

/// The medians of one round's measurements after the other, and their ratios round by round: what
/// the machine does meanwhile falls on both sides of a ratio.
struct Rounds {
  private(set) var values: [String: [Double]] = [:]

  mutating func note(_ value: Double, of name: String) {
    values[name, default: []].append(value)
  }

  /// The median of a name's values; 0 where there are none.
  func median(_ name: String) -> Double { values[name, default: []].median }

  /// The median of the rounds' ratios; nil where one side was not measured.
  func ratio(_ name: String, over other: String) -> Double? {
    let pairs = zip(values[name, default: []], values[other, default: []]).filter { $1 > 0 }
    return pairs.isEmpty ? nil : pairs.map { $0 / $1 }.median
  }
}
