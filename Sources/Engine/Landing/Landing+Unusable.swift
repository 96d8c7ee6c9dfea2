import Feed

/// Elements that cannot be used.
extension Landing {
  /// Notes where an answer shows elements that cannot be used, and has its window asked for again
  /// behind the reply where that is to be doubted. Returns the doubtful places.
  func noteUnusable(
    in evidence: Evidence, knowing known: [KnownElement], of feed: FeedID, _ state: inout FeedState
  ) -> [CutRange] {
    // Of a second that was counted over several answers it is known already which of them agree.
    let isCounted = evidence.unusableRanks.isEmpty && !evidence.unread.isEmpty
    guard feed.pattern.order != .whole, evidence.upper > evidence.lower, !isCounted else {
      return []
    }
    let places = evidence.unusablePlaces(
      order: feed.pattern.order, knowing: known,
      isProvenBelow: state.timeline.holdsProof(below: evidence.lower))
    let doubtful = state.unusable.note(places, from: evidence.upper, to: evidence.lower)
    if let place = doubtful.first { lookAgain(at: place, after: evidence) }
    return doubtful
  }

  /// Has a window asked for again that showed an element which cannot be used.
  private func lookAgain(at place: CutRange, after evidence: Evidence) {
    // Above the first element there is nothing from which it would be read downwards.
    let isFirst = place.upper == evidence.upper
    guard !isFirst || place.lower > .bottom else { return }
    let ask = Ask(
      evidence.window, for: .gap, below: isFirst ? place.lower : place.upper,
      provenAt: evidence.sentAt)
    followUps.insert(.ask(ask), at: 0)
  }
}
