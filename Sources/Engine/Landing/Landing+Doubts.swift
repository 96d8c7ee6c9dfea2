import Feed

/// Reports of answers that are not as they should be.
extension Landing {
  /// Notes an answer that brought something, or nothing.
  mutating func note(isBarren: Bool, _ window: Window) {
    let verdict = state.doubts.hear(.barren, isBarren, at: now)
    if verdict == .believed { doubt(.barren, window) }
  }

  /// Notes whether an answer counts a list as its total does; where several do not, nothing is
  /// joined by that for a while: three may have been cut short by a fault, and no list is to end
  /// there for ever.
  mutating func noteTotal(of page: Page, to window: Window) {
    guard state.paging(at: now).joins == .count else { return }
    let verdict = state.doubts.hear(.inexact, page.deniesTotal(in: window), at: now)
    guard verdict == .believed else { return }
    state.refuteTotal()
    doubt(.inexact, window)
  }

  /// Reports a sign that the upstream is not as its recipe says.
  mutating func doubt(_ sign: RecipeSign, _ window: Window) {
    let isFirst = isFirst(.misfit, sign.rawValue)
    incidents.append(.doubtful(feed: feed, window: window, sign: sign, isFirst: isFirst))
  }

  private mutating func isFirst(_ claim: Doubts.Claim, _ word: String) -> Bool {
    state.doubts.hear(claim, of: .word(word), at: now) != .believed
  }

  /// Reports what was wrong with an answer's elements.
  mutating func report(
    _ faults: [ElementFault: Int], _ evidence: Evidence?, _ window: Window
  ) {
    var faults = faults
    let displaced = evidence?.elements.count(where: \.isDisplaced) ?? 0
    if displaced > 0 { faults[.displaced] = displaced }
    for fault in ElementFault.allCases {
      guard let count = faults[fault] else { continue }
      let isFirst = isFirst(.faulty, fault.rawValue)
      incidents.append(
        .faultyElements(
          feed: feed, window: window, fault: fault, count: count, isFirst: isFirst))
    }
  }
}
