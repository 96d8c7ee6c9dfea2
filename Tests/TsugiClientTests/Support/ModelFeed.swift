@testable import TsugiClient

/// A feed that drifts, as a value: what the server would answer, by the contract, without a server.
///
/// Entries are ordered by their keys, descending. Nothing keeps the key of an entry that went, so a
/// cursor is a key and stays good.
struct ModelFeed {
  struct Entry {
    var id: String
    var key: Int
    var bornStep: Int
    var version = 0
    var isDecodable = true
    /// Whether it came between others that were there before.
    var isLate = false
  }

  /// An entry as a slice told it: with its key, and the step at which it was told.
  struct Told: Identifiable, Hashable, Codable, Sendable {
    var id: String
    var key: Int
    var step: Int
    var version: Int
  }

  /// The entries that are there, newest first.
  private(set) var entries: [Entry] = []
  /// What happened, for those who ask what changed.
  private(set) var changes: [FeedChange<Told>] = []
  /// Counts everything that happened.
  private(set) var step = 0
  private var lastID = 0
  private var lastKey = 0
  /// Whether a place of before is still known.
  private(set) var epoch = 0

  init(count: Int) {
    for _ in 0..<count { insert() }
  }

  var seq: SequenceNumber { SequenceNumber(rawValue: "e\(epoch).\(step)") }

  mutating func insert(isDecodable: Bool = true) {
    lastKey += 1_000
    add(key: lastKey, isDecodable: isDecodable)
  }

  /// An entry that appears between two others, or below the last.
  mutating func insertLate(at index: Int) {
    guard entries.indices.contains(index) else { return }
    let below = index + 1 < entries.count ? entries[index + 1].key : entries[index].key - 1_000
    let key = (entries[index].key + below) / 2
    if key > below, key < entries[index].key { add(key: key, isDecodable: true, isLate: true) }
  }

  /// Takes an entry away; the lists of those who asked may still show it.
  mutating func delete(at index: Int) {
    guard entries.indices.contains(index) else { return }
    step += 1
    let entry = entries.remove(at: index)
    changes.append(FeedChange(.delete, id: entry.id, seq: seq))
  }

  mutating func edit(at index: Int) {
    guard entries.indices.contains(index) else { return }
    step += 1
    entries[index].version += 1
    changes.append(FeedChange(.upsert, item: told(entries[index]), seq: seq))
  }

  /// An entry that comes to the top again, as a re-stocked item does.
  mutating func move(at index: Int) {
    guard entries.indices.contains(index) else { return }
    step += 1
    var entry = entries.remove(at: index)
    lastKey += 1_000
    entry.key = lastKey
    entry.bornStep = step
    entries.insert(entry, at: 0)
  }

  /// A new store: no cursor of before is known.
  mutating func beginAnew() {
    step += 1
    epoch += 1
  }

  private mutating func add(key: Int, isDecodable: Bool, isLate: Bool = false) {
    step += 1
    lastID += 1
    let entry = Entry(
      id: "i\(lastID)", key: key, bornStep: step, isDecodable: isDecodable, isLate: isLate)
    entries.insert(entry, at: entries.firstIndex { $0.key < key } ?? entries.count)
    changes.append(FeedChange(.upsert, item: told(entry), seq: seq))
  }

  private func told(_ entry: Entry) -> Told {
    Told(id: entry.id, key: entry.key, step: step, version: entry.version)
  }

  /// The slice of a request, at most `most` entries where the server cannot show more at once.
  func slice(
    _ request: SliceRequest, limit: Int, most: Int = .max
  ) throws -> FeedSlice<Told> {
    let upper = try request.start.map(place) ?? .max
    let lower = try request.end.map { end in try place(end) } ?? .min
    let range = entries.filter { $0.key < upper && $0.key > lower }
    let count = min(request.limit ?? limit, 100, max(1, most))
    let part = request.limitToLast ? Array(range.suffix(count)) : Array(range.prefix(count))
    let hasMore = !request.limitToLast && part.count < range.count
    let isAbove = part.count < range.count && request.limitToLast
    let bound = request.limitToLast ? request.end.map(text) : request.start.map(text)
    let other = request.limitToLast ? request.start.map(text) : request.end.map(text)
    return FeedSlice(
      items: part.filter(\.isDecodable).map(told),
      undecodable: part.filter { !$0.isDecodable }.map {
        UndecodableItem(index: 0, id: $0.id, reason: "made so")
      },
      limit: count, hasMore: hasMore,
      hasPrevious: request.limitToLast
        ? isAbove : request.start != nil && entries.contains { $0.key >= upper },
      startCursor: (part.first.map { cursor($0.key) } ?? bound ?? other).map(FeedCursor.init),
      endCursor: (part.last.map { cursor($0.key) } ?? bound ?? other).map(FeedCursor.init),
      endReason: hasMore ? nil : entries.contains { $0.key <= lower } ? .range : .end,
      gap: nil, seq: seq, total: nil,
      freshness: FeedFreshness(state: "fresh", checkedAt: nil, provenAt: nil))
  }

  private func cursor(_ key: Int) -> String { "e\(epoch).\(key)" }

  private func text(_ start: SliceRequest.Start) -> String {
    switch start {
    case .after(let position), .at(let position): position.text
    }
  }

  private func text(_ end: SliceRequest.End) -> String {
    switch end {
    case .before(let position), .at(let position): position.text
    }
  }

  /// The key below which a range begins.
  private func place(_ start: SliceRequest.Start) throws -> Int {
    switch start {
    case .after(let position): try key(position)
    case .at(let position): try key(position) + 1
    }
  }

  /// The key above which a range ends.
  private func place(_ end: SliceRequest.End) throws -> Int {
    switch end {
    case .before(let position): try key(position)
    case .at(let position): try key(position) - 1
    }
  }

  private func key(_ position: FeedPosition) throws -> Int {
    let parts = position.text.dropFirst().split(separator: ".")
    guard parts.count == 2, Int(parts[0]) == epoch, let key = Int(parts[1]) else {
      throw TsugiError.status(
        StatusFailure(status: 410, problem: ProblemDetails(.cursorExpired, detail: "another store"))
      )
    }
    return key
  }
}
