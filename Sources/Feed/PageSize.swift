/// How many elements a feed's windows ask for: as many as may be, less after an answer that was
/// too large, late or cut, and more again once the smaller size has worked for a while.
package struct PageSize: Hashable, Sendable {
  /// The fewest it goes down to.
  package static let perPageMin = 10
  /// Answers in a row that a size must bring before a larger one is tried again.
  package static let workedMin = 8
  /// The same where larger sizes have failed again and again: doubled each time, up to this.
  package static let workedMax = 512

  /// The most elements a window asks for now.
  package private(set) var perPageMax = Window.perPageMax
  /// The least size that failed since the size last grew; beyond all sizes when none did.
  package private(set) var perPageFailed = Int.max
  private var worked = 0
  private var patience = PageSize.workedMin
  /// Whether the size is larger than the one that last failed allowed, and has not yet worked.
  private var isTrial = false

  /// The full size.
  package init() {}

  /// Halves the size after an answer of `perPage` elements that was too large, late or cut. One
  /// that asked for more than the size allows tells nothing of it.
  package mutating func shrink(after perPage: Int) {
    perPageFailed = min(perPageFailed, perPage)
    guard perPage <= perPageMax else { return }
    perPageMax = max(PageSize.perPageMin, perPageMax / 2)
    worked = 0
    if isTrial { patience = min(patience * 2, PageSize.workedMax) }
    isTrial = false
  }

  /// Notes an answer that came whole: 100, after a cut 50, after 8 answers 100 again, after another
  /// cut 50, and 100 again only after 16.
  package mutating func noteWhole() {
    guard isTrial || perPageMax < Window.perPageMax else { return }
    worked += 1
    if isTrial, worked >= PageSize.workedMin {
      isTrial = false
      patience = PageSize.workedMin
    }
    guard !isTrial, worked >= patience else { return }
    worked = 0
    guard perPageMax < Window.perPageMax else { return }
    perPageMax = min(Window.perPageMax, perPageMax * 2)
    perPageFailed = .max
    isTrial = true
  }
}
