/// Choosing windows.
///
/// By pages, `page` and `per_page` together address almost any rank: down to a wall at 10,000 an
/// overlap walk takes about 115 windows, against 100 without any overlap: 1×100 covers ranks 0–99,
/// 2×98 then 98–195, 3×97 194–290, and so on. By offsets it takes 103.
extension Paging {
  /// The window of a size that begins at a rank, where one may.
  package func window(at rank: Int, perPage: Int) -> Window {
    guard !isNumbered else { return Window(page: rank / perPage + 1, perPage: perPage) }
    return Window(isRanked ? .offset(rank) : .mark(nil, rank: rank), perPage: perPage)
  }

  /// The window of the top.
  package func top(perPage: Int) -> Window {
    window(at: 0, perPage: addressing == .pages ? perPageMax : max(perPage, perPageMin))
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
    let above = isNumbered ? 0 : min(perPageMax, self.perPageMax) - 1
    let windows = windows(around: last - above, perPageMax: perPageMax)
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
    let above = isNumbered ? 0 : min(perPageMax, self.perPageMax) / 2
    return windows(around: rank - above, perPageMax: perPageMax)
  }

  /// The window that shows a rank and nothing above another, and reaches furthest; nil where none
  /// does.
  func window(showing rank: Int, noneAbove first: Int, perPageMax: Int) -> Window? {
    windows(around: rank, perPageMax: perPageMax)
      .filter { $0.firstRank >= first && $0.endRank > rank }.max { $0.endRank < $1.endRank }
  }

  /// Whether a window begins at a multiple of its size.
  private var isNumbered: Bool {
    switch addressing {
    case .page, .pages: true
    case .offset, .anchor, .key, .next: false
    }
  }

  /// The sizes to choose from, the largest first: where a window may begin anywhere a smaller one
  /// shows no more.
  private func sizes(upTo perPageMax: Int) -> ReversedCollection<ClosedRange<Int>> {
    let most = max(perPageMin, min(perPageMax, self.perPageMax))
    return switch addressing {
    case .page: (perPageMin...most).reversed()
    case .pages: (self.perPageMax...self.perPageMax).reversed()
    case .offset, .anchor, .key, .next: (most...most).reversed()
    }
  }

  /// The window of a size that begins at or before a rank, as near to it as can be; nil where none
  /// of that size can be reached.
  private func window(around rank: Int, perPage: Int) -> Window? {
    guard isNumbered else {
      let rank = min(max(rank, 0), reachMax - 1)
      return window(at: rank, perPage: min(perPage, reachMax - rank))
    }
    var pages = reachMax / perPage
    if case .page(let pageMax) = addressing { pages = min(pages, pageMax) }
    return pages > 0 ? Window(page: min(max(rank, 0) / perPage + 1, pages), perPage: perPage) : nil
  }

  /// The window of a segment, or of the feed where that is nil, that begins at or before a rank of
  /// the feed; nil where none reaches beyond what was seen.
  func window(
    in segment: Window.Segment?, from need: Int, beyond seen: Int, perPageMax: Int
  ) -> Window? {
    guard let segment else { return window(from: need, beyond: seen, perPageMax: perPageMax) }
    let paging = segment.isInside ? inside : self
    let window = paging.window(
      from: need - segment.rank, beyond: max(0, seen - segment.rank), perPageMax: perPageMax)
    return window?.of(segment)
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
