/// Detects a feed that the upstream does not sort by time.
package struct Disorder: Hashable, Sendable {
  /// Answers in a row that must show another order.
  package static let answersMax = 3
  /// The least number of elements of which one may stand out of order, as those do that came late.
  package static let elementsEach = 20

  private var answers = 0

  /// None so far.
  package init() {}

  /// Whether the last answer showed another order.
  package var isSuspected: Bool { answers > 0 }
  /// Whether enough of them did.
  package var isCertain: Bool { answers >= Disorder.answersMax }

  /// Notes an answer: a few elements in another order are none.
  package mutating func note(_ evidence: Evidence) {
    let displaced = evidence.elements.count(where: \.isDisplaced)
    let isOut = displaced > 1 && displaced * Disorder.elementsEach > evidence.elements.count
    // A short answer says nothing of the others.
    guard isOut || evidence.elements.count > 1 else { return }
    answers = isOut ? answers + 1 : 0
  }
}
