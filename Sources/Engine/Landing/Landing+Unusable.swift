import Feed

/// Elements that cannot be used.
extension Landing {
  /// Notes where an answer shows elements that cannot be used. Returns the doubtful places.
  mutating func noteUnusable(
    in evidence: Evidence, knowing known: [KnownElement]
  ) -> [CutRange] {
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
      after: .seconds(policy.freshSeconds))
  }

  /// Has the window of a place where an element cannot be used asked for again behind the reply,
  /// where that is due by all that an answer showed.
  mutating func askAgain() {
    let look = state.doubts.nextLook(at: now, after: .seconds(policy.freshSeconds))
    guard let look, let below = look.below else { return }
    let ask = Ask(.again(look.window, below: below), for: .gap, seenAt: look.provenAt)
    followUps.insert(.ask(ask), at: 0)
  }
}
