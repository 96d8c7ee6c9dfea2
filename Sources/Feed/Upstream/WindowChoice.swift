/// Which window to ask for: `page` and `per_page` together address almost any offset.
///
/// Down to the wall at rank 10,000 an overlap walk takes about 115 windows, against 100 without
/// any overlap: 1×100 covers ranks 0–99, 2×98 then 98–195, 3×97 194–290, and so on.
package enum WindowChoice {
  /// The window that begins at or before rank `need` and reaches furthest, if it reaches beyond
  /// rank `seen`; nil when none does: an overlap walk ends about rank 9,800, where all windows
  /// that begin higher end.
  ///
  /// Of two that reach as far the larger is taken: more overlap bears more drift.
  package static func window(
    from need: Int, beyond seen: Int, perPageMax: Int = Window.perPageMax
  ) -> Window? {
    var best: Window?
    for perPage in stride(from: min(perPageMax, Window.perPageMax), through: 1, by: -1) {
      let page = min(max(need, 0) / perPage + 1, Window.pageMax)
      let window = Window(page: page, perPage: perPage)
      if window.endRank > best?.endRank ?? 0 { best = window }
    }
    guard let best, best.endRank > seen + 1 else { return nil }
    return best
  }

  /// How many ranks below a run's first element a window begins to go up from it, after `misses`
  /// that ended above it: what came at the top moved it down.
  package static func depth(afterMisses misses: Int) -> Int { 4 << (2 * min(misses, 4)) }

  /// The window that reaches to rank `last` or beyond and begins furthest up.
  package static func window(upFrom last: Int, perPageMax: Int = Window.perPageMax) -> Window {
    let last = min(max(last, 0), Window.reachMax - 1)
    let perPages = max(1, min(perPageMax, Window.perPageMax))
    return (1...perPages).map { Window(page: last / $0 + 1, perPage: $0) }
      .filter { $0.page <= Window.pageMax }
      .min { ($0.firstRank, -$0.endRank) < ($1.firstRank, -$1.endRank) }
      ?? Window(page: Window.pageMax, perPage: perPages)
  }

  /// How many ranks further up than estimated the next window begins, after `misses` windows in
  /// a row that did not reach the run: 0, 8, 32, 128 … since the list moved up by deletions.
  package static func slack(afterMisses misses: Int) -> Int {
    misses == 0 ? 0 : 2 << min(2 * misses, 14)
  }
}
