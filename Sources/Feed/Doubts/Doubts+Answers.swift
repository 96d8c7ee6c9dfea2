import Bytes

/// Answers that say nothing of the place they were asked for.
extension Doubts {
  /// Notes an answer. Returns whether it, and those before it, are answers to other places: where
  /// the parameter of the place is not taken, or what names the next page leads back, every answer
  /// is such. Where pages `hides` elements, a few may be all that is shown of many ranks.
  package mutating func isRepeated(
    _ page: Page, to window: Window, at now: Timestamp, hides: Bool = false
  ) -> Bool {
    guard page.count > 1 else { return false }
    let ids = Subject.answer(of: page)
    entries.removeAll { $0.name == Claim.shown.name && now - $0.since > Claim.shown.memory }
    guard let seen = self[.shown, ids] else {
      clear(.repeated)
      let answer = Answer(window: window, sentAt: now)
      hear(.shown, of: ids, at: now, value: window.firstRank, by: answer)
      return false
    }
    // How many stand above a segment is taken to be another number each time.
    if window.segment != nil, seen.answer?.window.isAtMost(window) == true { return false }
    // What begins at a key, and shows nothing above it, is of that place, whatever its rank.
    if let keyMax = window.keyMax, page.newest ?? .max <= keyMax { return false }
    // A few may be all that is shown of the ranks that both windows have, where some are hidden.
    if let other = seen.answer?.window, page.count * 2 <= window.sharedRanks(with: other) {
      return false
    }
    // What lies half a page further up or down shows other elements, however it overlaps.
    let count = hides ? window.perPage : page.count
    guard abs(seen.value - window.firstRank) * 2 >= count else { return false }
    return hear(.repeated, at: now) == .believed
  }

  /// Forgets which places answers were to and whether they brought anything: pages begin elsewhere
  /// than was thought.
  package mutating func forgetPlaces() {
    let claims: [Claim] = [.shown, .repeated, .barren]
    entries.removeAll { entry in claims.contains { $0.name == entry.name } }
  }

  /// The answer that showed the same elements lately; nil where none did.
  package func shown(_ page: Page) -> Answer? {
    page.count > 1 ? self[.shown, .answer(of: page)]?.answer : nil
  }

  /// The marks that the upstream did not know lately.
  package var refusedMarks: Set<String> {
    Set(
      entries.compactMap { entry in
        guard entry.name == Claim.refused.name, case .word(let mark) = entry.subject else {
          return nil
        }
        return mark
      })
  }
}

extension Doubts.Subject {
  /// The elements of a page.
  fileprivate static func answer(of page: Page) -> Doubts.Subject {
    let text = page.items.map(\.item.id.text).joined(separator: " ")
    return .answer(Int(Fingerprint.value(of: text)))
  }
}
