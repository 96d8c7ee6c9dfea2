/// How many elements a feed's windows ask for: as many as may be, less after an answer that was
/// too large, late or cut, and more again once the smaller size has worked for a while.
///
/// A late or cut answer may be chance, and so may one that was too large: then the size that failed
/// is tried again. Where it is too large again, sizes between are tried until the largest that is
/// borne is nearly found; for more the upstream is asked ever less often.
package struct PageSize: Hashable, Sendable {
  /// The fewest it goes down to.
  package static let perPageMin = 10
  /// Answers in a row that a size must bring before a larger one is tried again.
  package static let workedMin = 8
  /// The same before a size is tried that has failed again and again: doubled each time, up to
  /// this.
  package static let workedMax = 512

  /// The most elements a window asks for now.
  package private(set) var perPageMax = Window.perPageMax
  /// The least size that failed since the size last grew past it; beyond all sizes when none did.
  package private(set) var perPageFailed = Int.max
  /// The last size that worked.
  private var perPageBorne = PageSize.perPageMin
  private var worked = 0
  private var patience = PageSize.workedMin
  /// Whether the size is larger than the last one that worked, and has not yet worked.
  private var isTrial = false

  /// The full size.
  package init() {}

  /// Takes a smaller size after an answer of `perPage` elements that was too large, or late or cut:
  /// half, or the last size that worked. One that asked for more than the size allows tells nothing
  /// of it.
  package mutating func shrink(after perPage: Int, isTooLarge: Bool) {
    if isTooLarge { perPageFailed = min(perPageFailed, perPage) }
    guard perPage <= perPageMax else { return }
    worked = 0
    defer { isTrial = false }
    guard isTrial, isTooLarge else {
      perPageMax = max(PageSize.perPageMin, perPageMax / 2)
      return
    }
    patience = min(patience * 2, PageSize.workedMax)
    perPageMax = perPageBorne
  }

  /// Notes an answer that came whole: 100, after a cut 50, after 8 answers 100 again; after another
  /// cut 50, and after 8 answers each 75 and 87.
  package mutating func noteWhole() {
    guard isTrial || perPageMax < Window.perPageMax else { return }
    worked += 1
    if isTrial, worked >= PageSize.workedMin {
      isTrial = false
      if perPageMax == Window.perPageMax { patience = PageSize.workedMin }
    }
    guard !isTrial, perPageMax < Window.perPageMax else { return }
    let between = min(perPageFailed, Window.perPageMax) - perPageMax
    if patience > PageSize.workedMin, between / 2 > perPageMax / 8 {
      grow(to: perPageMax + between / 2, after: PageSize.workedMin)
    } else {
      grow(to: perPageMax * 2, after: patience)
    }
  }

  private mutating func grow(to perPage: Int, after answers: Int) {
    guard worked >= answers else { return }
    worked = 0
    perPageBorne = perPageMax
    perPageMax = min(Window.perPageMax, perPage)
    if perPageMax >= perPageFailed { perPageFailed = .max }
    isTrial = true
  }
}
