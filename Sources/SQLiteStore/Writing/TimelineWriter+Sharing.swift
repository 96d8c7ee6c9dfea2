import Feed

/// The file as a copy of the shared store.
extension TimelineWriter {
  private func table() throws(StoreError) -> SharingTable {
    guard let sharing else {
      throw .failed(code: 0, message: "the file is not a copy of a shared store")
    }
    return sharing
  }

  /// The rows that an answer changes, as ``write(_:)`` makes them, and the state of the feed that
  /// they are made from. All of it is rolled back: nothing is written.
  func prepared(_ merges: [Merge]) throws(StoreError) -> (rows: SharedRows, base: SharedState?) {
    let sharing = try table()
    defer {
      feeds.forgetCount()
      releaseMemory(after: merges)
    }
    let last = merges[merges.count - 1]
    return try rehearsal { () throws(StoreError) in
      let base = try sharing.state(of: last.feed.name)
      let row = try write(merges)
      var timeline = last.timeline
      timeline.sequence = row.sequence
      var feed = SharedFeed(
        name: last.feed.name, source: last.feed.source, realm: last.feed.realm,
        order: row.form.order, version: base?.nextVersion ?? 1,
        stamp: .random(in: .min ... .max),
        changesFloor: try sharing.changesFloor(of: last.feed.name), timeline: timeline)
      feed.recipe = row.form.recipe
      var rows = SharedRows(feed: feed)
      rows.elements = try sharing.elements(of: row.key)
      (rows.items, rows.contents) = try sharing.items()
      return (rows, base)
    }
  }

  /// What keeping an item asked for by itself changes, rolled back as well.
  func prepared(
    _ item: PageItem, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    let sharing = try table()
    return try rehearsal { () throws(StoreError) in
      _ = try items.keep(item, realm: realm, sentAt: sentAt)
      return try sharing.items()
    }
  }

  /// Does something whose writes are noted and rolled back.
  private func rehearsal<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    try touched.noting { () throws(StoreError) in try connection.rehearsal(body) }
  }

  /// Takes rows of a feed that were made from this state of it. Throws ``StoreError/overtaken``
  /// where it has another one.
  func take(
    _ rows: SharedRows, over base: SharedState?, number: Int64
  ) throws(StoreError) {
    let sharing = try table()
    try connection.transaction { () throws(StoreError) in
      guard try sharing.state(of: rows.feed.name) == base else { throw StoreError.overtaken }
      try apply(rows)
      try sharing.move(to: number, of: rows.feed.source)
    }
  }

  /// Which state of a feed is here; nil where it is not.
  func state(of name: String) throws(StoreError) -> SharedState? {
    try table().state(of: name)
  }

  /// Up to which number a source's news are here.
  func number(of source: String) throws(StoreError) -> Int64 {
    try table().number(of: source)
  }

  /// Which states of a source's feeds are here, and up to which number its news.
  func copied(of source: String) throws(StoreError) -> (
    number: Int64, states: [String: SharedState]
  ) {
    let sharing = try table()
    return (try sharing.number(of: source), try sharing.states(of: source))
  }

  /// Items by realm whose contents the news replace or add where slices are served: those of items
  /// that are here with another content, and of elements that come where the feed is proven, or at
  /// its top.
  func lacking(_ news: StoreNews) throws(StoreError) -> [String: [Identity]] {
    let sharing = try table()
    // One transaction, because each one locks and unlocks the file.
    return try connection.reading { () throws(StoreError) in
      var lacking: [String: Set<Identity>] = [:]
      let brought = news.contents
      for item in news.items
      where try sharing.replaces(item) && brought[item.realm]?.contains(item.id) != true {
        lacking[item.realm, default: []].insert(item.id)
      }
      for case .rows(let rows) in news.feeds {
        guard let row = try feeds.row(of: rows.feed.name) else { continue }
        for id in try contentsLacking(for: rows, in: row, sharing) {
          lacking[rows.feed.realm, default: []].insert(id)
        }
      }
      return lacking.mapValues(Array.init)
    }
  }

  /// Items of a feed's rows whose contents these replace or add where slices are served.
  private func contentsLacking(
    for rows: SharedRows, in row: FeedTable.Row, _ sharing: SharingTable
  ) throws(StoreError) -> [Identity] {
    let served = Territory(try timeline(of: row))
    let items = Dictionary(rows.items.map { ($0.id, $0) }) { $1 }
    var lacking: [Identity] = []
    for known in rows.elements.map(\.known) where known.state != .removed {
      guard let item = items[known.id], item.digest != nil, rows.contents[item.id] == nil
      else { continue }
      var isLacking = try sharing.replaces(item)
      if !isLacking, served.holds(known.position), try !sharing.isHere(item) {
        // One that stands without its content is not served in any case.
        isLacking = try places(of: item.id, realm: rows.feed.realm, in: row.key).isEmpty
      }
      if isLacking { lacking.append(item.id) }
    }
    return lacking
  }

  /// Applies news, all or none.
  func apply(_ news: StoreNews) throws(StoreError) {
    let sharing = try table()
    try connection.transaction { () throws(StoreError) in
      for news in news.feeds {
        switch news {
        case .drop(let name): try dropCopied(name)
        case .rows(let rows): try apply(rows)
        }
      }
      // That one is gone has to be known before it is met.
      for item in news.items { try sharing.store(item, makes: item.digest == nil) }
      try sharing.set(number: news.number, of: news.source)
    }
    if news.items.contains(where: { $0.digest == nil }) { emptyLog() }
  }

  /// Applies rows of one feed.
  private func apply(_ rows: SharedRows) throws(StoreError) {
    let sharing = try table()
    let feed = try sharing.store(rows.feed, by: feeds)
    try proofs.replace(with: rows.feed.timeline.proofs, of: feed)
    try lineages.replace(with: rows.feed.timeline.lineages, of: feed)
    try moves.replace(with: [], of: feed)
    try moves.replace(with: rows.feed.timeline.moves, of: feed)
    var keys: [Identity: Int64] = [:]
    for item in rows.items {
      keys[item.id] = try sharing.store(item, bytes: rows.contents[item.id], makes: true)
    }
    for element in rows.elements {
      // One that an answer did not touch is here already.
      var key = keys[element.known.id]
      if key == nil { key = try items.key(of: element.known.id, realm: rows.feed.realm) }
      guard let item = key else {
        throw .unreachable(message: "an element was shared without its item")
      }
      try sharing.put(element, item: item, of: feed)
    }
  }

  /// Deletes a feed's rows, and counts nothing: others count on.
  private func dropCopied(_ name: String) throws(StoreError) {
    guard let row = try feeds.row(of: name) else { return }
    _ = try eviction.delete(below: .top, of: row.key)
    try proofs.replace(with: [], of: row.key)
    try lineages.replace(with: [], of: row.key)
    try moves.replace(with: [], of: row.key)
    try eviction.deleteRow(of: row.key, sequence: row.sequence)
    feeds.forgetCount()
  }

  /// Takes items as they are shared, with those contents that came along.
  func take(
    _ items: [SharedItem], contents: [Identity: [UInt8]], told: (source: String, number: Int64)?
  ) throws(StoreError) {
    let sharing = try table()
    try connection.transaction { () throws(StoreError) in
      for item in items { try sharing.store(item, bytes: contents[item.id], makes: true) }
      if let told { try sharing.move(to: told.number, of: told.source) }
    }
  }
}
