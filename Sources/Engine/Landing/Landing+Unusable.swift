import Feed

/// Elements that cannot be used.
extension Landing {
  /// Notes where an answer shows elements that cannot be used, and has the window of such a place
  /// asked for again behind the reply where that is due. Returns the doubtful places.
  func noteUnusable(
    in evidence: Evidence, knowing known: [KnownElement], of feed: FeedID, _ state: inout FeedState
  ) -> [CutRange] {
    let after = Duration.seconds(book.slices.policy.freshSeconds)
    defer {
      if let look = state.unusable.next(at: time.now, after: after) {
        let ask = Ask(look.window, for: .gap, below: look.below, provenAt: look.provenAt)
        followUps.insert(.ask(ask), at: 0)
      }
    }
    // Of a second that was counted over several answers it is known already which of them agree.
    let isCounted = evidence.unusableRanks.isEmpty && !evidence.unread.isEmpty
    guard feed.pattern.order != .whole, evidence.upper > evidence.lower, !isCounted else {
      return []
    }
    let places = evidence.unusablePlaces(
      order: feed.pattern.order, knowing: known,
      isProvenBelow: state.timeline.holdsProof(below: evidence.lower))
    let doubtful = state.unusable.note(places, from: evidence.upper, to: evidence.lower)
    for place in places {
      // Above the first element there is nothing from which it would be read downwards.
      let below = place.upper == evidence.upper ? place.lower : place.upper
      guard below > .bottom else { continue }
      let look = UnusablePlaces.Look(evidence.window, below: below, provenAt: evidence.sentAt)
      state.unusable.look(again: look, at: place, now: time.now, after: after)
    }
    return doubtful
  }
}
