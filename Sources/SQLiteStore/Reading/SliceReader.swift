import Feed

/// Reads slices over a connection of its own, with its statements prepared once. Not for two
/// threads at a time; a write in progress elsewhere neither waits for it nor shows in it.
///
/// When the file was replaced it goes over to the new one at its next call.
final class SliceReader: TimelineReader {
  private let file: StoreFile
  private var queries: SliceQueries
  private var number: Int

  /// Opens a reader on a store that is open.
  init(file: StoreFile) throws(StoreError) {
    self.file = file
    number = file.epoch.number
    queries = try SliceQueries(path: file.path)
  }

  var epoch: String {
    // One that cannot be opened is no file that anything was read from.
    do throws(StoreError) { return try present().epoch } catch { return "" }
  }

  /// One transaction in place of one for each statement, of which each locks and looks whether the
  /// file has changed. Where it cannot begin, each statement says what is wrong.
  func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard let queries = try? present(), queries.begin() else { return try body() }
    defer { queries.end() }
    return try body()
  }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try whole(
      read { (queries) throws(StoreError) in
        try queries.elements(
          of: feed, below: upper, above: lower, limit: limit, isDownward: true)
      }, of: feed)[...]
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    try whole(
      read { (queries) throws(StoreError) in
        try queries.elements(
          of: feed, below: upper, above: lower, limit: limit, isDownward: false)
      }, of: feed
    ).reversed()[...]
  }

  func hasElement(
    of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Bool {
    try read { (queries) throws(StoreError) in
      try queries.hasElement(of: feed, below: upper, above: lower)
    }
  }

  func position(
    at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Position? {
    try read { (queries) throws(StoreError) in
      try queries.position(at: offset, of: feed, below: upper, above: lower)
    }
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    try read { (queries) throws(StoreError) in try queries.position(of: id, in: feed) }
  }

  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) throws(StoreError) -> ChangeReading {
    let reading = try read { (queries) throws(StoreError) in
      try queries.changes.reading(
        of: feed, after: number, limit: limit, learned: learned, epoch: queries.epoch)
    }
    if file.isCopy, case .changes(let changes) = reading {
      try refuse(changes.changes.filter(\.event.isAbsent).map(\.id), realm: feed.realm)
    }
    return reading
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    let item = try read { (queries) throws(StoreError) in try queries.item(id, realm: realm) }
    if file.isCopy, item?.bytes?.isEmpty == true { try refuse([id], realm: realm) }
    return item
  }

  /// Elements whose contents are all here; in a copy some may have to be brought first.
  private func whole(_ elements: [Element], of feed: FeedID) throws(StoreError) -> [Element] {
    guard file.isCopy else { return elements }
    try refuse(elements.filter(\.bytes.isEmpty).map(\.id), realm: feed.realm)
    return elements
  }

  private func refuse(_ absent: [Identity], realm: String) throws(StoreError) {
    guard absent.isEmpty else { throw .absent(absent, realm: realm) }
  }

  /// The queries of the present file, opened where another was read last.
  private func present() throws(StoreError) -> SliceQueries {
    let present = file.epoch.number
    guard present != number else { return queries }
    queries = try SliceQueries(path: file.path)
    number = present
    return queries
  }

  /// Reads from the present file, and notes damage met in it.
  private func read<Value>(
    _ body: (SliceQueries) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let queries = try present()
    return try file.noting(in: queries.epoch) { () throws(StoreError) in try body(queries) }
  }
}

/// A connection that reads one file, with its statements.
final class SliceQueries {
  /// The file's epoch.
  let epoch: String
  private let connection: Connection
  private let downward: Statement
  private let upward: Statement
  private let nth: Statement
  private let any: Statement
  private let places: Statement
  private let content: Statement
  private let beginning: Statement
  private let ending: Statement
  private var hasBegun = false
  /// Reads what changed.
  let changes: ChangeTable

  /// Opens the file at `path` and prepares the statements.
  init(path: String) throws(StoreError) {
    connection = try Connection(path: path, access: .readOnly)
    try connection.execute(SliceSQL.setup)
    epoch = try connection.text("SELECT epoch FROM store")
    downward = try connection.prepare(SliceSQL.downward)
    upward = try connection.prepare(SliceSQL.upward)
    nth = try connection.prepare(SliceSQL.nth)
    any = try connection.prepare(SliceSQL.any)
    places = try connection.prepare(SliceSQL.places)
    content = try connection.prepare(SliceSQL.content)
    beginning = try connection.prepare("BEGIN")
    ending = try connection.prepare("COMMIT")
    changes = try ChangeTable(on: connection)
  }

  /// Begins a transaction; false where one has begun, or cannot.
  func begin() -> Bool {
    guard !hasBegun else { return false }
    defer { beginning.reset() }
    hasBegun = (try? beginning.step()) != nil
    return hasBegun
  }

  /// Ends the transaction that ``begin()`` began.
  func end() {
    defer { ending.reset() }
    hasBegun = false
    if (try? ending.step()) == nil { try? connection.execute("ROLLBACK") }
  }

  /// See ``TimelineReader/hasElement(of:below:above:)``.
  func hasElement(
    of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Bool {
    defer { any.reset() }
    try any.bind(
      feed.name, upper.position.order, upper.position.tie, lower.position.order,
      lower.position.tie)
    return try any.step()
  }

  /// See ``TimelineReader/position(at:of:below:above:)``.
  func position(
    at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Position? {
    defer { nth.reset() }
    try nth.bind(
      feed.name, upper.position.order, upper.position.tie, lower.position.order,
      lower.position.tie, Int64(offset))
    return try nth.step() ? nth.position(0) : nil
  }

  /// See ``TimelineReader/position(of:in:)``.
  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    defer { places.reset() }
    try places.bind(feed.name, feed.realm, id.bytes)
    var best: (stands: Bool, sequence: Int64, position: Position)?
    while try places.step() {
      let stands = places.integer(2) != Int64(KnownElement.State.removed.rawValue)
      let sequence = places.sequence(3)
      if let best, best.stands || (!stands && best.sequence >= sequence) { continue }
      best = (stands, sequence, try places.position(0))
    }
    return best?.position
  }

  /// See ``TimelineReader/item(_:realm:)``.
  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    defer { content.reset() }
    try content.bind(realm, id.bytes)
    guard try content.step() else { return nil }
    return StoredItem(
      bytes: content.isNull(1) ? nil : try content.bytes(1),
      sentAt: content.instant(0))
  }

  /// The elements of a slice from its top on, or upwards from its bottom.
  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int, isDownward: Bool
  ) throws(StoreError) -> [Element] {
    // To SQLite a negative limit is none.
    guard limit > 0 else { return [] }
    let range = SliceRange(feed: feed, upper: upper, lower: lower, limit: limit)
    return isDownward
      ? try elements(by: downward, in: range) : try elements(by: upward, in: range)
  }

  private struct SliceRange {
    var feed: FeedID
    var upper: Cut
    var lower: Cut
    var limit: Int
  }

  /// Steps through the elements of a range.
  private func elements(
    by statement: borrowing Statement, in range: SliceRange
  ) throws(StoreError) -> [Element] {
    defer { statement.reset() }
    let (upper, lower) = (range.upper.position, range.lower.position)
    try statement.bind(
      range.feed.name, upper.order, upper.tie, lower.order, lower.tie, Int64(range.limit))
    var elements: [Element] = []
    elements.reserveCapacity(min(range.limit, SliceRequest.limitMax + 1))
    while try statement.step() {
      let tie = try statement.bytes(1)
      // In a value feed the tie is the identity: one array serves as both.
      let id = try statement.column(2, equals: tie) ? tie : statement.bytes(2)
      elements.append(
        Element(
          position: Position(order: statement.order(0), tie: tie), id: Identity(bytes: id),
          bytes: try statement.bytes(3)))
    }
    return elements
  }
}

extension Change.Event {
  /// Whether its content is known and not here.
  fileprivate var isAbsent: Bool {
    switch self {
    case .upsert(_, let bytes): bytes.isEmpty
    case .remove(let bytes): bytes?.isEmpty == true
    case .delete: false
    }
  }
}
