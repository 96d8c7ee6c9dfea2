/// What is promised of a walk: nothing twice, nothing missing, in the upstream's order.
extension Judge {
  /// Notes what a walk got.
  package func note(_ stretch: Stretch) {
    guard !stretch.slices.isEmpty else { return }
    let (list, elements) = (stretch.list, stretch.slices.flatMap(\.elements))
    for (a, b) in zip(elements, elements.dropFirst()) where a.place <= b.place {
      blame("\(list): order broken between \(a.id) and \(b.id)")
    }
    let rekeyed = truth.rekeyed()
    // Where what was given up, or never written down, had stood is not known any more.
    let counted = mayForget ? elements.filter { !rekeyed.contains($0.id) } : elements
    if Set(counted.map(\.id)).count != counted.count, !stretch.isUpwards {
      blame("\(list): an item twice")
    }
    let settled = settled(for: stretch)
    let ranks = Dictionary(uniqueKeysWithValues: settled.enumerated().map { ($1, $0) })
    // An element that moved may for a while be met at its old place, rather than twice.
    let wandering = truth.isByKey(list) ? rekeyed : truth.wanderers(of: list)
    let stayed = elements.filter { !wandering.contains($0.id) }.compactMap { ranks[$0.id] }
    if let wrong = zip(stayed, stayed.dropFirst()).first(where: { $0 >= $1 }) {
      blame("\(list): \(settled[wrong.1]) came after \(settled[wrong.0]), which lies below")
    }
    let delivered = Set(elements.map(\.id))
    for rank in expected(of: stretch, stayed, settled.count)
    where !delivered.contains(settled[rank])
      && !(stretch.isResumed && rekeyed.contains(settled[rank]))
    {
      let presence = truth.presence(of: settled[rank], in: list)
      blame(
        "\(list): a hole, \(settled[rank]), \(rank) of \(settled.count), "
          + (presence.map { "\($0)" } ?? ""))
    }
  }

  /// Which of the settled elements a stretch must have shown, by their ranks.
  private func expected(of stretch: Stretch, _ stayed: [Int], _ count: Int) -> Range<Int> {
    let isByKey = truth.isByKey(stretch.list)
    // Where a join is believed, something may be missing: the slices say so. The promise is for
    // walks along `next`; upwards one may meet what moves up, or miss it.
    guard stretch.slices.allSatisfy(\.isProven), !stretch.isUpwards || isByKey else { return 0..<0 }
    let beginsKnown = stretch.beginsAtTop || (isByKey && stretch.start != nil)
    let endsKnown = stretch.slices.last?.end == "end" && (beginsKnown || !stayed.isEmpty)
    let first = beginsKnown ? 0 : stayed.min() ?? 0
    let end = endsKnown ? count : (stayed.max() ?? -1) + 1
    return first..<max(first, end)
  }

  /// The elements that were there all the time from the oldest answer a stretch rests on, in the
  /// upstream's order; in a list by keys those of its range only.
  private func settled(for stretch: Stretch) -> [String] {
    let list = stretch.list
    let oldest = stretch.slices.map(\.provenAt).min() ?? truth.now
    let provenAt = oldest - truth.terms.proofSlack
    let isByKey = truth.isByKey(list)
    // What was written in the last seconds before an answer is not served yet.
    let lastSecond = truth.lastSettledSecond(at: provenAt)
    let missing = stretch.slices.flatMap(\.missing)
    let entries = truth.entries(of: list).filter { entry in
      // What all parts that show it lack is said to be missing.
      if !entry.parts.isEmpty,
        entry.parts.allSatisfy({ part in
          missing.contains { $0.part == part && $0.holds(entry.place) }
        })
      {
        return false
      }
      guard let presence = truth.presence(of: entry.id, in: list), presence.since < provenAt,
        entry.isUsable, entry.usableSince ?? provenAt <= provenAt
      else { return false }
      return !isByKey
        || entry.second <= lastSecond && stretch.start.map { entry.place < $0 } ?? true
    }
    return (isByKey ? entries.sorted { $0.place > $1.place } : entries).map(\.id)
  }
}
