import Feed

/// What the operator is told of answers that are not as they should be.
extension Landing {
  /// Notes an answer that brought something, or nothing.
  func note(isBarren: Bool, _ window: Window, of feed: FeedID) {
    let verdict = book[feed]?.doubts.hear(.barren, isBarren, at: time.now)
    if verdict == .believed { doubt(.barren, window, of: feed) }
  }

  /// Notes whether an answer counts a list as its total does; where several do not, nothing is
  /// joined by that any more.
  func noteTotal(of page: Page, to window: Window, in feed: FeedID) {
    guard var state = book[feed], state.paging.joins == .count else { return }
    let verdict = state.doubts.hear(.inexact, page.deniesTotal(in: window), at: time.now)
    if verdict == .believed { state.refuteTotal() }
    book[feed] = state
    if verdict == .believed { doubt(.inexact, window, of: feed) }
  }

  /// Writes what is claimed of a feed where that was not written with what an answer has changed.
  /// Readers see nothing of it, and the call goes on: it may have failed. A store that fails here
  /// is reported by the next commit.
  func writeDoubts(of feed: FeedID, at sentAt: Timestamp) {
    guard var state = book[feed], state.record.isStored || state.doubts.makes(.hollow), let written,
      !state.doubts.isStored(as: written)
    else { return }
    let merge = Merge(feed: feed, sentAt: sentAt, timeline: state.timeline)
    guard (try? book.store.commit([merge], budget: nil)) != nil else { return }
    self.written = state.doubts
    state.record.isStored = true
    book.keep(state, of: feed)
  }

  /// Tells the operator of a sign that the upstream is not as it is said to be.
  func doubt(_ sign: RecipeSign, _ window: Window, of feed: FeedID) {
    let isFirst = isFirst(.misfit, sign.rawValue, of: feed)
    report(.doubtful(feed: feed, window: window, sign: sign, isFirst: isFirst))
  }

  private func isFirst(_ claim: Doubts.Claim, _ word: String, of feed: FeedID) -> Bool {
    book[feed]?.doubts.hear(claim, of: .word(word), at: time.now) != .believed
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
      let isFirst = isFirst(.faulty, fault.rawValue, of: feed)
      report(
        .faultyElements(
          feed: feed, window: window, fault: fault, count: count, isFirst: isFirst))
    }
  }
}
