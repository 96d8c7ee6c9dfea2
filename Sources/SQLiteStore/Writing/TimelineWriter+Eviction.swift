import Feed

extension TimelineWriter {
  /// See ``StoreHousekeeping/feeds()``.
  func allFeeds() throws(StoreError) -> [StoredFeed] {
    try eviction.all()
  }

  /// See ``StoreHousekeeping/foot(of:limit:)``.
  func foot(of name: String, limit: Int) throws(StoreError) -> FeedTail? {
    guard let row = try feeds.row(of: name) else { return nil }
    return FeedTail(
      order: row.form.order, timeline: try timeline(of: row),
      places: try eviction.lowest(of: row.key, limit: limit))
  }

  /// See ``StoreHousekeeping/contentBytes(of:)``.
  func contentBytes(of name: String) throws(StoreError) -> Int64 {
    guard let row = try feeds.row(of: name) else { return 0 }
    return try eviction.contentBytes(of: row.key)
  }

  /// See ``StoreHousekeeping/cut(_:below:leaving:)``. Returns how many places went.
  func cut(
    _ name: String, below cut: Cut, leaving timeline: Timeline
  ) throws(StoreError) -> Int {
    try connection.transaction { () throws(StoreError) in
      guard var row = try feeds.row(of: name) else { return 0 }
      let deleted = try eviction.delete(below: cut, of: row.key)
      try eviction.raiseFloor(to: deleted.sequence, of: row.key)
      try proofs.replace(with: timeline.proofs, of: row.key)
      try lineages.replace(with: timeline.lineages, of: row.key)
      row.lookedAt = timeline.lookedAt
      row.total = timeline.total
      try feeds.write(row)
      return deleted.count
    }
  }

  /// See ``StoreHousekeeping/drop(_:)``. Returns how many places went; nil when there was no such
  /// feed.
  func drop(_ name: String) throws(StoreError) -> Int? {
    try connection.transaction { () throws(StoreError) in
      guard let row = try feeds.row(of: name) else { return nil }
      let deleted = try eviction.delete(below: .top, of: row.key)
      try proofs.replace(with: [], of: row.key)
      try lineages.replace(with: [], of: row.key)
      try moves.replace(with: [], of: row.key)
      try eviction.deleteRow(of: row.key, sequence: row.sequence)
      feeds.forgetCount()
      return deleted.count
    }
  }

  /// See ``StoreHousekeeping/note(_:)``; some hundreds a transaction, so that no caller waits long.
  func note(_ reads: [String: Timestamp]) throws(StoreError) {
    let all = Array(reads)
    for start in stride(from: 0, to: all.count, by: TimelineWriter.readsMax) {
      try connection.transaction { () throws(StoreError) in
        for (name, readAt) in all[start..<min(start + TimelineWriter.readsMax, all.count)] {
          try eviction.record(name, readAt: readAt)
        }
      }
    }
  }

  /// Where a sweep goes on: first through all places, then through all items.
  enum SweepPlace {
    case places(after: (feed: Int64, position: Position))
    case items(after: Int64)

    /// Before the first row.
    static let start = SweepPlace.places(after: (.min, Cut.bottom.position))
  }

  /// The most rows a sweep deletes in one transaction.
  static let sweptMax = Eviction.placesMax
  /// The most readings noted in one transaction.
  static let readsMax = 500

  /// See ``StoreHousekeeping/sweep(_:)``. Returns how many places went, too.
  func sweep(_ sweep: Sweep) throws(StoreError) -> (isAround: Bool, placeCount: Int) {
    if holdsErased { emptyLog() }
    switch swept {
    case .places(let place):
      let rows = try eviction.places(
        after: place, limit: sweep.rowsMax, goneBefore: sweep.goneBefore)
      let gone = rows.filter(\.mayGo).prefix(TimelineWriter.sweptMax)
      try delete(gone) { (row) throws(StoreError) in try eviction.delete(row) }
      // What was not deleted for want of room is looked at again.
      let last = gone.count == TimelineWriter.sweptMax ? gone.last : rows.last
      let isLast = rows.count < sweep.rowsMax && gone.count < TimelineWriter.sweptMax
      swept = last.map { .places(after: ($0.feed, $0.position)) } ?? swept
      if isLast { swept = .items(after: .min) }
      return (false, gone.count)
    case .items(let key):
      let rows = try eviction.items(after: key, by: sweep)
      let gone = rows.filter(\.mayGo).map(\.key).prefix(TimelineWriter.sweptMax)
      try delete(gone) { (key) throws(StoreError) in try eviction.delete(item: key) }
      let last = gone.count == TimelineWriter.sweptMax ? gone.last : rows.last?.key
      let isLast = rows.count < sweep.rowsMax && gone.count < TimelineWriter.sweptMax
      swept = isLast ? .start : last.map { .items(after: $0) } ?? swept
      return (isLast, 0)
    }
  }

  private func delete<Row>(
    _ rows: ArraySlice<Row>, by body: (Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !rows.isEmpty else { return }
    try connection.transaction { () throws(StoreError) in
      for row in rows { try body(row) }
    }
  }

  /// See ``StoreHousekeeping/shrink()``.
  func shrink() throws(StoreError) -> Bool {
    guard let bytesMax else { return false }
    let excess = try min(pageCount() - max(1, bytesMax / pageSize), freePageCount())
    guard excess > 0 else { return false }
    try connection.execute(
      "PRAGMA incremental_vacuum(\(min(excess, TimelineWriter.vacuumPages)))")
    // It could not be set below what the file then had.
    try connection.execute("PRAGMA max_page_count = \(max(1, bytesMax / pageSize))")
    return excess > TimelineWriter.vacuumPages
  }

  /// Pages given back to the disk in one go: 4 MB.
  private static let vacuumPages: Int64 = 256

  /// What the rows take. Free pages are left out: they are the next to be written to, whereas the
  /// file itself never shrinks by deleting, and would have everything evicted once it is large.
  func bytes() throws(StoreError) -> Int64 {
    (try pageCount() - freePageCount()) * pageSize
  }

  private func pageCount() throws(StoreError) -> Int64 { try single(pages) }

  private func freePageCount() throws(StoreError) -> Int64 { try single(freePages) }

  private func single(_ statement: borrowing Statement) throws(StoreError) -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }
}
