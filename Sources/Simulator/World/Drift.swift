/// How fast the world moves: so many events for each list answer that is not refused, before it is
/// made.
///
/// Counted by answers and not by seconds, so that the same calls meet the same world however fast
/// they come. A rate may be a fraction: with 0.25 every fourth answer is preceded by one event.
package struct Drift: Hashable, Sendable {
  /// The largest rate that is taken.
  package static let rateMax = 1_000.0

  /// Events of each kind for each list answer.
  package var rates: [Event.Kind: Double]
  /// How often an element of an observed list that is asked for comes to its top again.
  package var moveRate: Double

  private var owed: [Event.Kind: Double] = [:]
  private var owedMoves = 0.0

  /// No drift unless rates are given.
  package init(_ rates: [Event.Kind: Double] = [:], moveRate: Double = 0) {
    self.rates = rates
    self.moveRate = moveRate
  }

  /// Reads `insert=1,delete=0.5,late=0.1,touch=1,count=2,move=0.2`; nil for an unknown kind or a
  /// rate outside 0 to 1000.
  package init?(parsing text: String) {
    self.init()
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", omittingEmptySubsequences: false)
      guard pair.count == 2, let rate = Double(pair[1]), 0...Self.rateMax ~= rate else {
        return nil
      }
      if pair[0] == "move" {
        moveRate = rate
      } else if let kind = Event.Kind(rawValue: String(pair[0])) {
        rates[kind] = rate
      } else {
        return nil
      }
    }
  }

  /// The events that are due before one more answer, kind after kind.
  mutating func due() -> [Event.Kind] {
    Event.Kind.allCases.flatMap { kind in
      let owing = owed[kind, default: 0] + rates[kind, default: 0]
      owed[kind] = owing - owing.rounded(.down)
      return [Event.Kind](repeating: kind, count: Int(owing))
    }
  }

  /// How many elements of an observed list come to its top before one more answer.
  mutating func dueMoves() -> Int {
    owedMoves += moveRate
    let due = owedMoves.rounded(.down)
    owedMoves -= due
    return Int(due)
  }
}
