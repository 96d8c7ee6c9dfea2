/// What is known of a feed, as a client that follows its changes knows it: an element that appears
/// there is a change, and one that is only met by reading further is none.
package struct Territory: Hashable, Sendable {
  /// The most ranges kept that were proven once.
  static let openedMax = 256

  /// Above this elements are new; nil before the top was ever looked at.
  private var top: Cut?
  private var ranges: [CutRange] = []

  /// Of a feed of which `timeline` is known. `former` is what was the top where more came above it
  /// than a look showed; `opened` was proven once.
  package init(_ timeline: Timeline, former: Cut? = nil, opened: [CutRange] = []) {
    guard timeline.lookedAt != nil else { return }
    top = former ?? timeline.runs.first?.upper ?? .bottom
    ranges = timeline.runs.map(\.range) + opened
  }

  /// Whether an element that appears at a position is a change.
  package func holds(_ position: Position) -> Bool {
    guard let top else { return false }
    return top.isBelow(position) || ranges.contains { $0.holds(position) }
  }

  /// Those of the ranges proven once that are not proven again.
  package static func opened(_ ranges: [CutRange], in timeline: Timeline) -> [CutRange] {
    few(ranges.filter { !timeline.proves($0) }, at: openedMax)
  }

  /// Ranges, where they are more than `most` the one that holds them all.
  static func few(_ ranges: [CutRange], at most: Int) -> [CutRange] {
    guard ranges.count > most, let upper = ranges.map(\.upper).max(),
      let lower = ranges.map(\.lower).min()
    else { return ranges }
    return [CutRange(upper: upper, lower: lower)]
  }
}
