package import Feed

/// The file as a copy of the shared store: its further calls.
extension TimelineDatabase {
  /// The rows that ``TimelineStore/commit(_:budget:)`` would change, and the state of the feed that
  /// they are made from. Nothing is written: those who share take the rows first, then
  /// ``take(_:over:of:)``.
  package func prepared(
    _ merges: [Merge]
  ) throws(StoreError) -> (rows: SharedRows, base: SharedState?) {
    try write { (writer) throws(StoreError) in
      try check(merges)
      return try writer.prepared(merges)
    }
  }

  /// What ``TimelineStore/keep(_:realm:sentAt:)`` would change, without writing it.
  package func prepared(
    _ item: PageItem, realm: String, sentAt: Timestamp
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    try write { (writer) throws(StoreError) in
      try writer.prepared(item, realm: realm, sentAt: sentAt)
    }
  }

  /// Takes rows of a feed that were made from this state of it, in the file of these merges, and
  /// were sent under a number. Throws ``StoreError/overtaken`` where the feed has another state.
  package func take(
    _ rows: SharedRows, over base: SharedState?, of merges: [Merge], number: Int64
  ) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      try check(merges)
      try writer.take(rows, over: base, number: number)
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

  /// Items by realm whose contents it takes to serve by news what is served without them.
  package func lacking(_ news: StoreNews) throws(StoreError) -> [String: [Identity]] {
    try write { (writer) throws(StoreError) in try writer.lacking(news) }
  }

  /// Applies news, all or none.
  package func take(_ news: StoreNews) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.apply(news) }
  }

  /// Takes items as they are shared, with those contents that came along; where they were written
  /// here, with the number under which their source sent them.
  package func take(
    _ items: [SharedItem], contents: [Identity: [UInt8]],
    told: (source: String, number: Int64)? = nil
  ) throws(StoreError) {
    try write { (writer) throws(StoreError) in
      try writer.take(items, contents: contents, told: told)
    }
  }
}

/// The numbers of feeds that are gone.
extension TimelineDatabase {
  /// Sees to it that a feed that is not here counts on from a number at least.
  package func countOn(from floor: Int64) throws(StoreError) {
    guard floor > 0 else { return }
    try write { (writer) throws(StoreError) in
      if try writer.sequenceFloor() < floor { try writer.countOn(from: floor) }
    }
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

  /// The number from which a feed that is not here counts.
  package func sequenceFloor() throws(StoreError) -> Int64 {
    try write { (writer) throws(StoreError) in try writer.sequenceFloor() }
  }

  /// From now on the file is a store of its own, that counts on from beyond `floor`.
  package func becomeOwn(floor: Int64) throws(StoreError) {
    try write { (writer) throws(StoreError) in try writer.becomeOwn(floor: floor) }
  }
}
