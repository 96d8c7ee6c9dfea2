import Feed

/// Reads slices over a connection of its own, with its statements prepared once. Not for two
/// threads at a time; a write under way elsewhere neither waits for it nor shows in it.
final class SliceReader: TimelineReader {
  private let file: StoreFile
  private let connection: Connection
  private let downward: Statement
  private let upward: Statement
  private let any: Statement
  private let places: Statement
  private let content: Statement

  /// Opens a reader on a store that is open.
  init(file: StoreFile) throws(StoreError) {
    self.file = file
    connection = try Connection(path: file.path, access: .readOnly)
    try connection.execute(SliceSQL.setup)
    downward = try connection.prepare(SliceSQL.downward)
    upward = try connection.prepare(SliceSQL.upward)
    any = try connection.prepare(SliceSQL.any)
    places = try connection.prepare(SliceSQL.places)
    content = try connection.prepare(SliceSQL.content)
  }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> [Element] {
    try file.noting { () throws(StoreError) in
      try slice(by: downward, of: feed, below: upper, above: lower, limit: limit)
    }
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> [Element] {
    try file.noting { () throws(StoreError) in
      try slice(by: upward, of: feed, below: upper, above: lower, limit: limit).reversed()
    }
  }

  func hasElement(
    of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Bool {
    try file.noting { () throws(StoreError) in
      defer { any.reset() }
      try any.bind(
        feed.name, upper.position.order, upper.position.tie, lower.position.order,
        lower.position.tie)
      return try any.step()
    }
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    try file.noting { () throws(StoreError) in
      defer { places.reset() }
      try places.bind(feed.name, id.bytes)
      var best: (stands: Bool, sequence: Int64, position: Position)?
      while try places.step() {
        let stands = places.integer(2) != Int64(KnownElement.State.removed.rawValue)
        let sequence = places.integer(3)
        if let best, best.stands || (!stands && best.sequence >= sequence) { continue }
        best = (stands, sequence, try places.position(0))
      }
      return best?.position
    }
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    try file.noting { () throws(StoreError) in
      defer { content.reset() }
      try content.bind(realm, id.bytes)
      guard try content.step() else { return nil }
      return StoredItem(
        bytes: content.isNull(1) ? nil : try content.bytes(1),
        sentAt: Timestamp(milliseconds: content.integer(0)))
    }
  }

  private func slice(
    by statement: borrowing Statement, of feed: FeedID, below upper: Cut, above lower: Cut,
    limit: Int
  ) throws(StoreError) -> [Element] {
    // To SQLite a negative limit is none.
    guard limit > 0 else { return [] }
    defer { statement.reset() }
    try statement.bind(
      feed.name, upper.position.order, upper.position.tie, lower.position.order,
      lower.position.tie, Int64(limit))
    var elements: [Element] = []
    elements.reserveCapacity(min(limit, Window.perPageMax))
    while try statement.step() {
      let tie = try statement.bytes(1)
      // In a value feed the tie is the identity: one array serves as both.
      let id = try statement.column(2, equals: tie) ? tie : statement.bytes(2)
      elements.append(
        Element(
          position: Position(order: statement.integer(0), tie: tie), id: Identity(bytes: id),
          bytes: try statement.bytes(3)))
    }
    return elements
  }
}
