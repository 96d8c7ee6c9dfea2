import History
import Support

@testable import Feed

/// A reader whom no other beats: it knows where every item stands when its call is answered.
///
/// So each of its windows begins exactly at the last item above the second that is still open, and
/// of all windows that do it asks for the one that reaches deepest. Reaching deeper never makes
/// the next window reach less deep, so nobody who wants proof walks a feed in fewer calls.
enum PerfectReader {
  /// How many calls it needs from the top to the end; `drift` moves the feed before each answer.
  static func calls(_ feed: ScriptedFeed, drift: (ScriptedFeed) -> Void = { _ in }) -> Int {
    var calls = 0
    var open = Int64.max
    while calls < 1_000 {
      drift(feed)
      let entries = feed.entries
      let need = max(0, (entries.firstIndex { $0.second <= open } ?? entries.count) - 1)
      guard let window = Paging.hundreds.window(from: need, beyond: need) else { return calls }
      calls += 1
      if window.endRank > entries.count { return calls }
      open = entries[window.endRank - 1].second
    }
    return calls
  }
}
