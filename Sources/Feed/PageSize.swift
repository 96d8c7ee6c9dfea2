/// How many elements a feed's windows ask for: as many as may be, less after an answer that was
/// too large, late or cut, and more again once the smaller size has worked for a while.
package struct PageSize: Hashable, Sendable {
  /// The fewest it goes down to.
  package static let perPageMin = 10
  /// Answers in a row that a size must bring before a larger one is tried again.
  package static let workedMax = 8

  /// The most elements a window asks for now.
  package private(set) var perPageMax = Window.perPageMax
  private var worked = 0

  /// The full size.
  package init() {}

  /// Halves the size after an answer that was too large, late or cut.
  package mutating func shrink() {
    perPageMax = max(PageSize.perPageMin, perPageMax / 2)
    worked = 0
  }

  /// Notes an answer that came whole: 100, after a cut 50, and after 8 answers 100 again.
  package mutating func noteWhole() {
    guard perPageMax < Window.perPageMax else { return }
    worked += 1
    guard worked >= PageSize.workedMax else { return }
    perPageMax = min(Window.perPageMax, perPageMax * 2)
    worked = 0
  }
}
