import Feed
import Synchronization

/// The progress of filling a feed.
struct WarmState: Equatable {
  /// Items read from the top on: these are stored.
  var read: Int
  /// How many are wanted; nil for all.
  var wanted: Int?
  /// Why there are no more.
  var endReason: String?
  /// How the feed stands on the server.
  var status: WarmStatus

  /// Whether as many as were wanted are stored.
  var hasEnough: Bool { wanted.map { read >= $0 } ?? false }

  /// How many it will be in the end, as far as is known: not above what is wanted, nor above what
  /// the upstream has. Where that shows fewer, `endReason` says so when it comes to that.
  var goal: Int {
    guard endReason == nil, !hasEnough else { return read }
    return max(read, min(wanted ?? .max, status.total ?? wanted ?? read))
  }

  /// How much of it is done, in hundredths.
  var percent: Int { goal == 0 ? 100 : read * 100 / goal }

  /// `1200 of 2000 items, 978 of 1000 calls left`
  var line: String { "\(read) of \(goal) items, \(status.calls)" }

  /// `2000 items are stored, endReason: end; 978 of 1000 calls left until 2026-11-21T00:00:00Z`
  var outcome: String {
    let end = endReason.map { ", endReason: \($0)" } ?? ""
    let reset = status.resetAt.map { " until \($0)" } ?? ""
    return "\(read) items are stored\(end); \(status.calls)\(reset)"
  }
}

/// The last tenth that was printed.
private final class LastTenth: Sendable {
  private let tenth = Atomic(-1)

  /// Notes a tenth; whether it is another than before.
  func moves(to tenth: Int) -> Bool {
    self.tenth.exchange(tenth, ordering: .relaxed) != tenth
  }
}

/// Reports how far a feed is filled: a bar that is redrawn on a terminal, and a line for
/// each tenth elsewhere.
final class WarmProgress: Sendable {
  /// The characters of a whole bar.
  static let barWidth = 30

  private let stream: StandardStream
  private let isLookedAt: Bool
  private let told = LastTenth()

  /// Progress on a stream; by default the stream says whether it is a terminal.
  init(stream: StandardStream, isLookedAt: Bool? = nil) {
    self.stream = stream
    self.isLookedAt = isLookedAt ?? stream.isTerminal
  }

  /// Shows how far it is.
  func show(_ state: WarmState) {
    if isLookedAt {
      stream.write(Array("\r\u{1B}[K\(WarmProgress.bar(state.percent)) \(state.line)".utf8))
    } else if told.moves(to: state.percent / 10) {
      stream.writeLine(state.line)
    }
  }

  /// Prints a line of its own.
  func tell(_ text: String) {
    stream.writeLine(isLookedAt ? "\r\u{1B}[K\(text)" : text)
  }

  /// Leaves the bar where it is: what comes next is below it.
  func end() {
    if isLookedAt { stream.writeLine("") }
  }

  /// `[###############               ]  50 %`
  static func bar(_ percent: Int) -> String {
    let count = max(0, min(barWidth, percent * barWidth / 100))
    let figure = String(percent)
    return "[" + String(repeating: "#", count: count)
      + String(repeating: " ", count: barWidth - count) + "] "
      + String(repeating: " ", count: max(0, 3 - figure.count)) + figure + " %"
  }
}
