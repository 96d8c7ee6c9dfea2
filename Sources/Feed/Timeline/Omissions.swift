/// How many elements readers lack, and where: those that answers showed and that cannot be used.
///
/// Known from the answers of this process alone: after a restart, and of what another server read,
/// such an element counts again once its page is read again.
package struct Omissions: Hashable, Sendable {
  /// The most places that are remembered of a feed; what more there are is not counted.
  package static let placesMax = 1_024

  private var counts: [CutRange: Int] = [:]

  /// None so far.
  package init() {}

  /// Takes what an answer shows of a range in the place of what was known of it.
  package mutating func note(_ shown: [CutRange: Int], in range: CutRange) {
    guard !shown.isEmpty || !counts.isEmpty else { return }
    counts = counts.filter { !range.covers($0.key) }
    for (place, count) in shown.sorted(by: { $0.key.upper > $1.key.upper })
    where counts.count < Omissions.placesMax {
      counts[place] = count
    }
  }

  /// How many there are between two cuts. A place counts where it begins, so that slices that
  /// follow on each other count it once.
  package func count(from upper: Cut, to lower: Cut) -> Int {
    counts.reduce(0) { sum, place in
      let begins = place.key.upper <= upper && place.key.upper > lower
      return begins ? sum + place.value : sum
    }
  }
}
