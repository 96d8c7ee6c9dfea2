/// Places of a feed at which answers showed elements that cannot be used: without identity, without
/// a date, or broken.
///
/// What cannot be used today may be whole tomorrow. So such a place is a gap until an answer shows
/// it whole, or it is believed to stay so; then it counts as proven without the element. It is
/// asked for again as long as answers do not agree, and a few times after that. A feed in which
/// such elements stay is believed immediately.
extension Doubts {
  /// At how many places answers agree that an element cannot be used.
  package var unusableCount: Int { entries.count { isUnusable($0) } }

  private func isUnusable(_ entry: Entry) -> Bool {
    entry.name == Claim.unusable.name && entry.answers >= Claim.unusable.answers
  }

  /// Notes what an answer to a window shows of a range, where elements that cannot be used stood in
  /// `unusable`. Returns the places that are not proven by it.
  ///
  /// Each place is asked for again by that window: immediately while it is doubtful, and `after` a
  /// while where answers have agreed, later each time.
  package mutating func note(
    _ unusable: [CutRange], in shown: CutRange, of window: Window, sentAt: Timestamp,
    at now: Timestamp, after: Duration
  ) -> [CutRange] {
    let claim = Claim.unusable
    let before = entries.filter { $0.name == claim.name }
    entries.removeAll { $0.name == claim.name && $0.range.map(shown.covers) ?? false }
    // Among elements of a second, and at the ends of windows, one may seem to stand elsewhere.
    var elsewhere = before.filter { entry in
      entry.range.map { range in
        shown.covers(range) && !unusable.contains { $0.overlaps(range) }
      } ?? false
    }[...]
    var doubtful: [CutRange] = []
    for range in unusable {
      let last =
        before.first { $0.range == range } ?? before.first { $0.range?.overlaps(range) ?? false }
        ?? elsewhere.popFirst()
      var entry = Entry(name: claim.name, subject: .range(range), since: last?.since ?? now)
      (entry.asks, entry.rests) = (last?.asks ?? 0, last?.rests ?? 0)
      entry.answers = min((last?.answers ?? 0) + 1, claim.answers)
      let count = entries.count { $0.name == claim.name }
      if self[.flawed]?.answers == Claim.flawed.answers || count >= claim.entriesMax {
        (entry.answers, entry.rests) = (claim.answers, Claim.looksMax)
      }
      if !isUnusable(entry) {
        doubtful.append(range)
      } else if last.map(isUnusable) != true {
        hear(.flawed, at: now)
      }
      // Above the first element there is nothing from which it would be read downwards.
      let below = range.upper == shown.upper ? range.lower : range.upper
      if below > .bottom {
        entry.answer = Answer(window: window, sentAt: sentAt, below: below)
        entry.restsUntil = isUnusable(entry) ? nil : now
        if isUnusable(entry), entry.rests < Claim.looksMax {
          entry.rests += 1
          entry.restsUntil = now + after * entry.rests
        }
      }
      if count < claim.entriesMax { entries.append(entry) }
    }
    if !elsewhere.isEmpty { clear(.flawed) }
    return doubtful
  }

  /// The window to ask for again now, below which cut, and when that was proven before; nil where
  /// none is due. It is asked for once for all places that it shows. An answer that does not show
  /// such a place says nothing of it: then it is due `after` a while.
  package mutating func nextLook(
    at now: Timestamp, after: Duration
  ) -> (window: Window, below: Cut?, provenAt: Timestamp)? {
    let due = entries.indices.filter { index in
      let entry = entries[index]
      return entry.name == Claim.unusable.name && entry.asks < Claim.asksMax
        && entry.answer != nil && entry.restsUntil.map { $0 <= now } ?? false
    }
    guard let first = due.first, let answer = entries[first].answer else { return nil }
    for index in due where entries[index].answer?.window == answer.window {
      entries[index].asks += 1
      entries[index].restsUntil = now + after
    }
    return (answer.window, answer.below, answer.sentAt)
  }
}
