@testable import TsugiClient

/// The end of a history: what a reader meets who reads on.
extension ListHistory {
  /// A reader who looks at what is new and then reads on meets everything that is there, once.
  mutating func readToTheEnd() {
    catchUp()
    settle()
    send(.refresh, "refresh")
    settle()
    repeat {
      // What is loaded above comes above what is on the screen, also below a gap at the top.
      view.scrollToTop()
      layOut("to the top", moved: true)
      if let gap = state.content.gaps.first, gap.index == 0 { send(.fill(gap.id), "fill") }
      settle()
    } while (state.hasPrevious || state.content.gaps.first?.index == 0) && faults.isEmpty
    view.scrollToTop()
    layOut("at the top", moved: true)
    var met = Set<String>()
    for _ in 0..<2_000 where faults.isEmpty {
      settle()
      met.formUnion(view.itemIDs)
      fillWhatIsSeen()
      met.formUnion(view.itemIDs)
      let before = view.anchor
      view.scroll(by: max(1, view.height / 2))
      layOut("on", moved: true)
      if view.anchor == before, loads.isEmpty, rests.isEmpty { break }
    }
    check()
    guard faults.isEmpty, !moves else { return }
    if state.hasMore { faults.append("the end was never reached") }
    // What came late between what was loaded before is not promised.
    let missing = feed.entries.filter { $0.isDecodable && !$0.isLate && !met.contains($0.id) }
    if !missing.isEmpty { faults.append("never met: \(missing.map(\.id))") }
  }

  /// Where gaps wait to be told, the reader tells them.
  private mutating func fillWhatIsSeen() {
    guard !options.fillsGaps else { return }
    for _ in 0..<1_000 {
      guard let gap = state.content.gaps.first, faults.isEmpty else { return }
      send(.fill(gap.id), "fill \(gap.id)")
      settle()
    }
    faults.append("a gap is never filled")
  }
}
