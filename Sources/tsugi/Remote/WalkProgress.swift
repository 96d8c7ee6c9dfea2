import Feed

/// The counts of a walk so far.
struct WalkTally {
  private(set) var items = 0
  private(set) var slices = 0
  private var sunkGaps = 0
  /// The worst state of any slice: `fresh`, `stale` or `expired`.
  private(set) var freshness = "fresh"
  private(set) var endReason: String?

  /// `1 item in 1 slice`, and `with 1 sunk gap` where the upstream no longer shows some of them.
  var counts: String {
    let gaps = " with \(sunkGaps) sunk gap\(sunkGaps == 1 ? "" : "s")"
    return "\(items) item\(items == 1 ? "" : "s") in \(slices) slice\(slices == 1 ? "" : "s")"
      + (sunkGaps > 0 ? gaps : "")
  }

  /// Counts a slice.
  mutating func add(_ slice: WalkedSlice) {
    items += slice.items.count
    slices += 1
    sunkGaps += slice.hasSunkGap ? 1 : 0
    endReason = slice.endReason
    let rank = ["fresh": 0, "stale": 1, "expired": 2]
    if let state = slice.freshness, rank[state, default: 0] > rank[freshness, default: 0] {
      freshness = state
    }
  }
}

/// Reports a walk's progress: a line that is overwritten on a terminal, and a
/// summary at the end.
struct WalkProgress: Sendable {
  private let line: ProgressLine
  private let start = ContinuousClock.now

  init(stream: StandardStream) {
    line = ProgressLine(stream: stream)
  }

  /// Shows how far it is, to a person only.
  func show(_ tally: WalkTally) {
    line.show(tally.counts)
  }

  /// Prints a line of its own.
  func tell(_ text: String) {
    line.clear()
    line.stream.writeLine(text)
  }

  /// `2000 items in 100 slices, 1.234 s, fresh, endReason: end`
  func end(_ tally: WalkTally) {
    let elapsed = (ContinuousClock.now - start).inMilliseconds
    let milliseconds = String(elapsed % 1000)
    let fraction = String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    tell(
      "\(tally.counts), \(elapsed / 1000).\(fraction) s, "
        + "\(tally.freshness), endReason: \(tally.endReason ?? "none")")
  }
}
