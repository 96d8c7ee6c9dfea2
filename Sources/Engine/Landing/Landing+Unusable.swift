import Feed

/// Elements that cannot be used.
extension Landing {
  /// Notes where an answer shows elements that cannot be used, and has the window of such a place
  /// asked for again behind the reply where that is due. Returns the doubtful places.
  mutating func noteUnusable(
    in evidence: Evidence, knowing known: [KnownElement]
  ) -> [CutRange] {
    let after = Duration.seconds(policy.freshSeconds)
    defer {
      if let look = state.doubts.nextLook(at: now, after: after), let below = look.below {
        let ask = Ask(.again(look.window, below: below), for: .gap, seenAt: look.provenAt)
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
    return state.doubts.note(
      places, in: evidence.range, of: evidence.window, sentAt: evidence.sentAt, at: now,
      after: after)
  }
}
