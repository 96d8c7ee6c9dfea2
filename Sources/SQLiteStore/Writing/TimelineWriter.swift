import Feed
import Glibc

/// The store's one connection that writes, with its statements. Not for two threads at a time.
final class TimelineWriter {
  /// From so many bytes on an answer is large: at Qiita 100 items have 2 to 3 MB.
  static let largeBytesMin = 4 << 20
  /// How long a deletion waits for those who read the log: slices take less than one of these.
  static let logWaitMilliseconds: Int32 = 50

  let connection: Connection
  let feeds: FeedTable
  let proofs: ProofTable
  let lineages: LineageTable
  let moves: MoveTable
  let elements: ElementTable
  let items: ItemTable
  /// What others share; nil where the file is no copy.
  let sharing: SharingTable?
  let touched = TouchedRows()
  private let digests = ContentDigests()
  /// The log as it was found.
  private var logFile: UInt64?
  let eviction: EvictionTable
  let answers: AnswerTable
  let pages: Statement
  let freePages: Statement
  let pageSize: Int64
  /// What the file may take; nil for as much as the disk has.
  let bytesMax: Int64?
  /// Whether the log may hold bytes that were erased, also by a process before this.
  private(set) var holdsErased = true
  /// Where the next sweep begins.
  var swept = SweepPlace.start

  /// Prepares all statements on a connection that is up to date.
  init(
    on connection: consuming Connection, bytesMax: Int64?, isCopy: Bool = false
  ) throws(StoreError) {
    self.bytesMax = bytesMax
    sharing = isCopy ? try SharingTable(on: connection, of: touched, digests) : nil
    eviction = try EvictionTable(on: connection, digests)
    answers = try AnswerTable(on: connection)
    pages = try connection.prepare("PRAGMA page_count")
    freePages = try connection.prepare("PRAGMA freelist_count")
    pageSize = try connection.integer("PRAGMA page_size")
    feeds = try FeedTable(on: connection)
    proofs = try ProofTable(on: connection)
    lineages = try LineageTable(on: connection)
    moves = try MoveTable(on: connection)
    elements = try ElementTable(on: connection, noting: touched)
    items = try ItemTable(on: connection, noting: touched, digests)
    logFile = connection.logFile
    self.connection = connection
  }

  /// The random name made with the file.
  func epoch() throws(StoreError) -> String {
    try connection.text("SELECT epoch FROM store")
  }

  /// Reads every row of the smallest tables: damage in one of these keeps the whole store from
  /// being used. Throws ``StoreError/corrupt(message:)`` also for an epoch that was never made.
  /// Forgets what lies in the future of `now`, where that is known.
  func checkFoundations(now: Timestamp?) throws(StoreError) {
    try connection.execute("SELECT * FROM store; SELECT * FROM source")
    guard SequenceNumber("\(try epoch()).0") != nil else {
      throw .corrupt(message: "the store's epoch is none")
    }
    if let now { try forgetFuture(at: now) }
  }

  /// Forgets every instant more than a day after `now`: what was done then is taken for done long
  /// ago, and nothing waits for it.
  private func forgetFuture(at now: Timestamp) throws(StoreError) {
    let latest = now.milliseconds + 86_400_000
    let isInFuture = try connection.integer(
      """
      SELECT EXISTS (SELECT 1 FROM feed
          WHERE looked_at > \(latest) OR total_as_of > \(latest) OR read_at > \(latest))
        OR EXISTS (SELECT 1 FROM proof WHERE proven_at > \(latest))
        OR EXISTS (SELECT 1 FROM source
          WHERE spent_at > \(latest) OR budget_reset_at > \(latest) OR refused_until > \(latest))
      """)
    guard isInFuture != 0 else { return }
    try connection.transaction { () throws(StoreError) in
      try connection.execute(
        """
        UPDATE feed SET doubts = '';
        UPDATE feed SET looked_at = NULL WHERE looked_at > \(latest);
        UPDATE feed SET total = NULL, total_as_of = NULL WHERE total_as_of > \(latest);
        UPDATE feed SET read_at = \(now.milliseconds) WHERE read_at > \(latest);
        UPDATE proof SET proven_at = 0 WHERE proven_at > \(latest);
        UPDATE element SET sent_at = 0 WHERE sent_at > \(latest);
        UPDATE element SET missing_since = NULL WHERE missing_since > \(latest);
        UPDATE item SET sent_at = 0 WHERE sent_at > \(latest);
        UPDATE source SET budget_reset_at = NULL, openings = '', calls = '', spent_at = NULL,
            refused_until = NULL
          WHERE spent_at > \(latest) OR budget_reset_at > \(latest) OR refused_until > \(latest);
        """)
    }
  }

  /// See ``TimelineStore/timeline(of:)``.
  func timeline(of feed: FeedID) throws(StoreError) -> Timeline? {
    guard let row = try feeds.row(of: feed.name) else { return nil }
    guard row.form.fit(feed) == .same else { throw .otherForm(row.form) }
    return try timeline(of: row)
  }

  /// What is proven of the feed of a row.
  func timeline(of row: FeedTable.Row) throws(StoreError) -> Timeline {
    var timeline = Timeline()
    timeline.proofs = try proofs.proofs(of: row.key)
    timeline.lineages = try lineages.lineages(of: row.key)
    timeline.moves = try moves.moves(of: row.key)
    timeline.lookedAt = row.lookedAt
    timeline.total = row.total
    timeline.sequence = row.sequence
    timeline.doubts = Doubts(text: row.doubts)
    return timeline
  }

  /// See ``TimelineStore/known(in:below:above:)``.
  func known(
    in feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> [KnownElement] {
    guard let row = try feeds.row(of: feed.name) else { return [] }
    return try elements.known(of: row.key, below: upper, above: lower)
  }

  /// See ``TimelineStore/known(in:ids:)``.
  func known(in feed: FeedID, ids: [Identity]) throws(StoreError) -> [KnownElement] {
    // One transaction, because each one locks and unlocks the file.
    try connection.reading { () throws(StoreError) in
      guard let row = try feeds.row(of: feed.name) else { return [] }
      var known: [KnownElement] = []
      for id in Set(ids) {
        known += try places(of: id, realm: feed.realm, in: row.key)
      }
      return known
    }
  }

  /// Where an identity stands or stood in a feed; nowhere where its item is not known.
  func places(
    of id: Identity, realm: String, in feed: Int64
  ) throws(StoreError) -> [KnownElement] {
    guard let item = try items.key(of: id, realm: realm) else { return [] }
    return try elements.places(of: id, item: item, in: feed)
  }

  /// See ``TimelineStore/commit(_:budget:)``.
  func commit(_ merges: [Merge], budget: Budget?) throws(StoreError) -> Int64 {
    defer { releaseMemory(after: merges) }
    return try connection.transaction { () throws(StoreError) in
      let row = try write(merges)
      if let budget { try feeds.keep(budget, of: merges[0].feed.source) }
      return row.sequence
    }
  }

  /// Writes what an answer changes, inside of a transaction. Returns the feed's row afterwards.
  func write(_ merges: [Merge]) throws(StoreError) -> FeedTable.Row {
    var row = try feeds.madeRow(of: merges[0].feed, readAt: merges[0].sentAt)
    for merge in merges { try write(merge, into: &row) }
    let last = merges[merges.count - 1]
    try proofs.replace(with: last.timeline.proofs, of: row.key)
    try lineages.replace(with: last.timeline.lineages, of: row.key)
    try moves.replace(with: last.timeline.moves, of: row.key)
    row.lookedAt = last.timeline.lookedAt
    row.total = last.timeline.total
    row.doubts = last.timeline.doubts.text
    row.form.recipe = last.feed.pattern.recipe ?? row.form.recipe
    try feeds.write(row)
    return row
  }

  /// Writes the elements that a merge changes.
  private func write(_ merge: Merge, into row: inout FeedTable.Row) throws(StoreError) {
    // Removals first: a client that follows the numbers then never removes what it just got.
    for position in merge.removed
    where try elements.remove(
      position, of: row.key, sentAt: merge.sentAt, number: row.sequence + 1)
    {
      row.sequence += 1
    }
    for position in merge.missing {
      try elements.miss(position, of: row.key, sentAt: merge.sentAt)
    }
    for seen in merge.seen {
      try place(seen, of: merge, row: &row)
    }
  }

  /// Gives back what a large answer took: its pages went through the cache and will hardly be
  /// written again. After an ordinary one the indexes' pages are better kept.
  func releaseMemory(after merges: [Merge]) {
    let bytes = merges.lazy.flatMap(\.seen).reduce(0) { $0 + $1.item.bytes.count }
    if bytes >= TimelineWriter.largeBytesMin { connection.releaseMemory() }
  }

  /// Puts a seen element at its place, unless an answer sent later spoke of it.
  private func place(
    _ seen: Merge.Seen, of merge: Merge, row: inout FeedTable.Row
  ) throws(StoreError) {
    guard
      let (item, isNew) = try items.keep(
        seen.item, realm: merge.feed.realm, sentAt: merge.sentAt)
    else { return }
    // An item that is new stands nowhere.
    let places = isNew ? [] : try elements.places(of: seen.item.id, item: item, in: row.key)
    guard places.allSatisfy({ $0.sentAt <= merge.sentAt }) else { return }
    if seen.takesNumber { row.sequence += 1 }
    var number = seen.takesNumber ? row.sequence : nil
    if places.isEmpty, !seen.takesNumber {
      let last =
        if let last = row.lastLearnt { last } else { try elements.lastLearnt(of: row.key) }
      let place = last.learning(after: row.sequence)
      (row.lastLearnt, number) = (place, place.ofLearnt)
    }
    for element in places
    where element.position != seen.position && element.state != .removed {
      try elements.vacate(
        element.position, of: row.key, sentAt: merge.sentAt, number: number)
    }
    try elements.place(seen, item: item, of: row.key, sentAt: merge.sentAt, number: number)
  }

  /// Whether a content was replaced or erased since this was last asked.
  func takeHasReplaced() -> Bool {
    defer {
      items.hasReplaced = false
      sharing?.hasReplaced = false
    }
    return items.hasReplaced || sharing?.hasReplaced == true
  }

  /// See ``TimelineStore/budget(of:)``.
  func budget(of source: String) throws(StoreError) -> Budget? {
    try feeds.budget(of: source)
  }

  /// See ``TimelineStore/keep(_:of:)``.
  func keep(_ budget: Budget, of source: String) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      try feeds.keep(budget, of: source)
    }
  }

  /// See ``TimelineStore/keep(_:realm:sentAt:)``.
  func keep(_ item: PageItem, realm: String, sentAt: Timestamp) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      _ = try items.keep(item, realm: realm, sentAt: sentAt)
    }
  }

  /// See ``TimelineStore/delete(_:realm:sentAt:)``.
  func delete(
    _ ids: [Identity], realm: String, sentAt: Timestamp
  ) throws(StoreError) -> [String: Int64] {
    let changed = try connection.transaction { () throws(StoreError) -> [String: Int64] in
      var changed: [String: Int64] = [:]
      for id in ids {
        guard let item = try items.erase(id, realm: realm, sentAt: sentAt) else { continue }
        for standing in try elements.standings(of: id, item: item) {
          let sequence = standing.sequence + 1
          try elements.bury(standing, sentAt: sentAt, number: sequence)
          try feeds.write(sequence: sequence, of: standing.feed)
          changed[standing.name] = sequence
        }
      }
      return changed
    }
    emptyLog()
    return changed
  }

  /// Takes erased bytes, which the log may still hold, out of that too. What was erased is erased:
  /// where another process reads the file, or the disk fails, the next sweep tries again.
  func emptyLog() {
    let isEmpty = try? connection.checkpoint(waitMilliseconds: TimelineWriter.logWaitMilliseconds)
    holdsErased = isEmpty != true
  }

  /// See ``StoreHealth/check()``.
  func check() throws(StoreError) {
    guard try !connection.hasMoved else {
      throw .failed(errno: ENOENT, "the store's file was removed or replaced while it was in use")
    }
    try checkLog()
    // Flushed, so that the disk is really asked, then never committed.
    defer { connection.rollBack() }
    try connection.execute("BEGIN IMMEDIATE; UPDATE store SET epoch = epoch")
    try connection.flush()
  }

  /// Without its log the file lacks what was committed last, and so does the next start. What is in
  /// the one that has no name any more goes into the file each time.
  private func checkLog() throws(StoreError) {
    let present = connection.logFile
    guard let logFile, present != logFile else { return logFile = present }
    try connection.checkpoint()
    throw .failed(
      errno: ENOENT, "the store's -wal file was removed or replaced while it was in use")
  }

  /// Moves the log into the database file and empties it, as far as readers let it.
  func checkpoint() throws(StoreError) {
    try connection.checkpoint()
  }
}
