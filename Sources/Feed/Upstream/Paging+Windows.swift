/// Choosing windows.
///
/// By pages, `page` and `per_page` together address almost any rank: down to a wall at 10,000 an
/// overlap walk takes about 115 windows, against 100 without any overlap: 1×100 covers ranks 0–99,
/// 2×98 then 98–195, 3×97 194–290, and so on. By offsets it takes 103.
extension Paging {
  /// A page that a client counts, as the upstream is asked for it.
  package func window(of page: Window) -> Window {
    switch addressing {
    case .page, .pages: page
    case .offset: Window(offset: page.firstRank, perPage: page.perPage)
    case .anchor, .key, .next: Window(.mark(nil, rank: page.firstRank), perPage: page.perPage)
    }
  }

  /// The window of the top.
  package func top(perPage: Int) -> Window {
    switch addressing {
    case .page: Window(page: 1, perPage: perPage)
    case .pages: Window(page: 1, perPage: perPageMax)
    case .offset: Window(offset: 0, perPage: perPage)
    case .anchor, .key, .next: Window(.mark(nil, rank: 0), perPage: perPage)
    }
  }

  /// The window that begins at or before rank `need` and reaches furthest, if it reaches beyond
  /// rank `seen`; nil when none does: by pages an overlap walk ends a little above the wall, where
  /// all windows that begin higher end.
  ///
  /// Of two that reach as far the larger is taken: more overlap bears more drift.
  package func window(from need: Int, beyond seen: Int, perPageMax: Int = .max) -> Window? {
    var best: Window?
    for perPage in sizes(upTo: perPageMax) {
      guard let window = window(around: need, perPage: perPage) else { continue }
      if window.endRank > best?.endRank ?? 0 { best = window }
    }
    guard let best, best.endRank > seen + 1 else { return nil }
    return best
  }

  /// The window that reaches to rank `last` or beyond and begins furthest up; the last one of the
  /// size where none does.
  package func window(upFrom last: Int, perPageMax: Int = .max) -> Window {
    let last = min(max(last, 0), reachMax - 1)
    let windows =
      switch addressing {
      case .page, .pages: windows(around: last, perPageMax: perPageMax)
      case .offset, .anchor, .key, .next:
        windows(around: last + 1 - min(perPageMax, self.perPageMax), perPageMax: perPageMax)
      }
    let reaching = windows.filter { $0.endRank > last }
    return reaching.min { ($0.firstRank, -$0.endRank) < ($1.firstRank, -$1.endRank) }
      ?? windows.first ?? top(perPage: 1)
  }

  /// The windows that begin at or before a rank, as near to it as can be reached: one of each size,
  /// the largest first, where the size decides where a window may begin.
  private func windows(around rank: Int, perPageMax: Int) -> [Window] {
    sizes(upTo: perPageMax).compactMap { window(around: rank, perPage: $0) }
  }

  /// The windows that show a rank, as far as one is reached, with what lies around it: the largest
  /// first.
  package func windows(showing rank: Int, perPageMax: Int) -> [Window] {
    switch addressing {
    case .page, .pages: windows(around: rank, perPageMax: perPageMax)
    case .offset, .anchor, .key, .next:
      windows(around: rank - min(perPageMax, self.perPageMax) / 2, perPageMax: perPageMax)
    }
  }

  /// The sizes to choose from, the largest first: where a window may begin anywhere a smaller one
  /// shows no more.
  private func sizes(upTo perPageMax: Int) -> ReversedCollection<ClosedRange<Int>> {
    let most = max(1, min(perPageMax, self.perPageMax))
    return switch addressing {
    case .page: (1...most).reversed()
    case .pages: (self.perPageMax...self.perPageMax).reversed()
    case .offset, .anchor, .key, .next: (most...most).reversed()
    }
  }

  /// The window of a size that begins at or before a rank, as near to it as can be; nil where none
  /// of that size can be reached.
  private func window(around rank: Int, perPage: Int) -> Window? {
    let rank = max(rank, 0)
    switch addressing {
    case .page(let pageMax):
      let page = min(rank / perPage + 1, pageMax, reachMax / perPage)
      return page > 0 ? Window(page: page, perPage: perPage) : nil
    case .pages:
      let page = min(rank / perPage + 1, reachMax / perPage)
      return page > 0 ? Window(page: page, perPage: perPage) : nil
    case .offset:
      let offset = min(rank, reachMax - 1)
      return Window(offset: offset, perPage: min(perPage, reachMax - offset))
    case .anchor, .key, .next:
      let rank = min(rank, reachMax - 1)
      return Window(.mark(nil, rank: rank), perPage: min(perPage, reachMax - rank))
    }
  }
}

/// What to do after windows that missed what they were to show.
package enum WindowChoice {
  /// How many ranks below a run's first element a window begins to go up from it, after `misses`
  /// that ended above it: what came at the top moved it down.
  package static func depth(afterMisses misses: Int) -> Int { 4 << (2 * min(misses, 4)) }

  /// How many ranks further up than estimated the next window begins, after `misses` windows in
  /// a row that did not reach the run: 0, 8, 32, 128 … since the list moved up by deletions.
  package static func slack(afterMisses misses: Int) -> Int {
    misses == 0 ? 0 : 2 << min(2 * misses, 14)
  }
}
