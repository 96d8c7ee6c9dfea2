import Feed

/// What the operator is told of answers that are not as they should be.
extension Landing {
  /// Notes an answer that brought something, or nothing.
  func note(isBarren: Bool, _ window: Window, of feed: FeedID) {
    let before = book[feed]?.barrenness.restsUntil
    book[feed]?.barrenness.note(isBarren: isBarren, at: time.now)
    let after = book[feed]?.barrenness.restsUntil
    if after != nil, after != before { doubt(.barren, window, of: feed) }
  }

  /// Notes whether an answer counts a list as its total does; where several do not, nothing is
  /// joined by that any more.
  func noteTotal(of page: Page, to window: Window, in feed: FeedID) {
    guard var state = book[feed], state.paging.joins == .count else { return }
    state.exactTotal.note(page, to: window)
    if state.exactTotal.isRefuted {
      state.refuteTotal()
      doubt(.inexact, window, of: feed)
    }
    book[feed] = state
  }

  /// Tells the operator of a sign that the upstream is not as it is said to be.
  func doubt(_ sign: RecipeSign, _ window: Window, of feed: FeedID) {
    let isFirst = book[feed]?.signs.insert(sign).inserted ?? true
    report(.doubtful(feed: feed, window: window, sign: sign, isFirst: isFirst))
  }

  /// Tells the operator what was wrong with an answer's elements.
  func report(
    _ faults: [ElementFault: Int], _ evidence: Evidence?, _ window: Window, of feed: FeedID
  ) {
    var faults = faults
    let displaced = evidence?.elements.count(where: \.isDisplaced) ?? 0
    if displaced > 0 { faults[.displaced] = displaced }
    for fault in ElementFault.allCases {
      guard let count = faults[fault] else { continue }
      let isFirst = book[feed]?.faults.insert(fault).inserted ?? true
      report(
        .faultyElements(
          feed: feed, window: window, fault: fault, count: count, isFirst: isFirst))
    }
  }
}
