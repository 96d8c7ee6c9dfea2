import Feed

/// What names places, found among what is stored of a feed. A store that fails here
/// is reported where the slice is read; then nothing is known.
struct StoredHandles: Handles {
  let feed: FeedID
  let book: FeedBook
  let fetcher: any PageFetcher

  var refusedMarks: Set<String> { book[feed]?.doubts.refusedMarks ?? [] }

  func lastElements(below upper: Cut, above lower: Cut, limit: Int) -> [Element] {
    let elements = try? book.reader.lastElements(of: feed, below: upper, above: lower, limit: limit)
    return elements.map(Array.init) ?? []
  }

  func count(below upper: Cut, above lower: Cut) -> Int {
    let known = try? book.store.known(in: feed, below: upper, above: lower)
    return known?.count { $0.state != .removed } ?? 0
  }

  func mark(of item: PageItem) -> String? { fetcher.mark(of: item, in: feed) }

  func mark(of key: Int64) -> String? { fetcher.mark(of: key, in: feed) }
}
