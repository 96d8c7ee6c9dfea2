package import Feed

/// The file as a copy of what several servers share: what it is asked besides.
extension TimelineDatabase {
  /// See ``TimelineStore/commit(_:budget:)``; `share` is given the rows that changed, and where it
  /// throws nothing was written here.
  package func commit(
    _ merge: Merge, sharing share: (SharedRows) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in
      try check(merge.timeline)
      return try writer.commit(merge, sharing: share)
    }
  }

  /// See ``TimelineStore/keep(_:realm:sentAt:)``; `share` is given what changed, if anything did.
  package func keep(
    _ item: PageItem, realm: String, sentAt: Timestamp,
    sharing share: ([SharedItem], [Identity: [UInt8]]) throws(StoreError) -> Void
  ) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      try writer.keep(item, realm: realm, sentAt: sentAt, sharing: share)
    }
  }

  /// Whether news were ever taken in here, so that it is a copy and no store of its own.
  package var isCopied: Bool {
    get throws(StoreError) {
      try write { (writer) throws(StoreError) in
        try writer.connection.integer("SELECT EXISTS (SELECT 1 FROM shared)") != 0
      }
    }
  }

  /// Which state of a feed is here; nil where it is not.
  package func state(of name: String) throws(StoreError) -> SharedState? {
    try write { (writer) throws(StoreError) in try writer.state(of: name) }
  }

  /// Up to which number a source's news are here.
  package func number(of source: String) throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in try writer.number(of: source) }
  }

  /// Up to which number a source's news are here, and which states of its feeds.
  package func copied(of source: String) throws(StoreError) -> (
    number: Int64, states: [String: SharedState]
  ) {
    try write { (writer) throws(StoreError) in try writer.copied(of: source) }
  }

  /// Takes news in, all or none.
  package func take(_ news: StoreNews) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.take(news) }
  }

  /// Takes items as they are shared, with those contents that came along.
  package func take(
    _ items: [SharedItem], contents: [Identity: [UInt8]]
  ) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.take(items, contents: contents) }
  }
}

/// The file as a whole, for being copied.
extension TimelineDatabase {
  /// All rows of a feed, its items with their contents; nil where there is none.
  package func image(of name: String) throws(StoreError) -> SharedRows? {
    try write { (writer) throws(StoreError) in try writer.image(of: name) }
  }

  /// The names under which budgets are kept.
  package func budgetNames() throws(StoreError) -> [String] {
    try write { (writer) throws(StoreError) in try writer.budgetNames() }
  }

  /// Beyond what numbers that were told of feeds which have gone.
  package func sequenceFloor() throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in try writer.sequenceFloor() }
  }

  /// From now on the file is a store of its own, that counts on from beyond `floor`.
  package func becomeOwn(floor: Int64) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.becomeOwn(floor: floor) }
  }
}
