import Foundation
import Synchronization
import TsugiClientTesting

@testable import TsugiClient

/// A server of one feed of notes that moves and fails, as an app's network meets it: slices by
/// places, changes with what moved, and single items.
final class ModelShop: HTTPTransport {
  /// What it has.
  struct Stock {
    /// The notes, in feed order, each with a place that stays its own until it moves.
    var notes: [(place: Int, note: Note)] = []
    /// What happened: the note, and whether its place changed.
    var log: [(id: String, hasMoved: Bool)] = []
    /// The first number that is still kept.
    var firstSeq = 0
    var lastNote = 0
    var isOffline = false
    /// Chances in a hundred that a request fails.
    var failing = 0
    /// Whether it looks at the top where changes are asked for.
    var looks = true
  }

  let stock = Mutex(Stock())
  let requests = Atomic(0)

  init(count: Int) {
    stock.withLock { stock in
      for _ in 0..<count { stock.insert(at: (stock.notes.last?.place ?? 0) + 10) }
    }
  }

  func stream(_ request: TransportRequest) async throws -> TransportStream {
    throw TransportFailure(.unreachable, "no events")
  }

  func send(_ request: TransportRequest) async throws -> TransportReply {
    requests.add(1, ordering: .relaxed)
    let roll = Int.random(in: 0..<100)
    return try stock.withLock { stock in
      guard !stock.isOffline else { throw TransportFailure(.offline, "offline") }
      guard roll >= stock.failing else { throw TransportFailure(.interrupted, "unlucky") }
      var parameters: [String: String] = [:]
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
      for item in items ?? [] { parameters[item.name] = item.value }
      let last = request.url.lastPathComponent
      if last.hasSuffix(":changes") { return stock.changes(parameters) }
      if last == "notes" { return stock.slice(parameters) }
      guard let note = stock.notes.first(where: { $0.note.id == last }) else {
        return .problem(.itemNotFound)
      }
      return .json(note.note.json)
    }
  }
}

extension Note {
  /// It as the server writes it.
  var json: String { Note.json(id, text) }
}

extension ModelShop.Stock {
  /// A new note; returns its id.
  @discardableResult
  mutating func insert(at place: Int) -> String {
    lastNote += 1
    let note = Note(id: "n\(lastNote)", text: "0")
    put(note, at: place)
    log.append((note.id, false))
    return note.id
  }

  /// The note with another text, or removed, or elsewhere.
  mutating func edit(_ index: Int, _ text: String) {
    notes[index].note.text = text
    log.append((notes[index].note.id, false))
  }

  mutating func remove(_ index: Int) {
    log.append((notes.remove(at: index).note.id, false))
  }

  mutating func move(_ index: Int, to place: Int) {
    let note = notes.remove(at: index).note
    put(note, at: place)
    log.append((note.id, true))
  }

  /// A place between two notes, or above all.
  func place(above index: Int) -> Int {
    guard index > 0 else { return (notes.first?.place ?? 0) - 10 }
    return (notes[index - 1].place + notes[index].place) / 2
  }

  private mutating func put(_ note: Note, at place: Int) {
    var place = place
    while notes.contains(where: { $0.place == place }) { place += 1 }
    notes.insert((place, note), at: notes.firstIndex { $0.place > place } ?? notes.count)
  }

  private func place(_ text: String?) -> Int? {
    guard let text else { return nil }
    guard text.hasPrefix("id:") else { return Int(text.dropFirst()) }
    return notes.first { "id:\($0.note.id)" == text }?.place
  }

  func slice(_ parameters: [String: String]) -> TransportReply {
    var range = notes[...]
    for (name, text) in parameters where name.hasPrefix("start") || name.hasPrefix("end") {
      guard let place = place(text) else { return .problem(.itemNotFound) }
      switch name {
      case "startAfter": range = range.drop { $0.place <= place }
      case "startAt": range = range.drop { $0.place < place }
      case "endBefore": range = range.prefix { $0.place < place }
      default: range = range.prefix { $0.place <= place }
      }
    }
    let limit = Int(parameters["limit"] ?? "") ?? 20
    let keepsEnd = parameters["limitToLast"] == "true"
    let part = keepsEnd ? range.suffix(limit) : range.prefix(limit)
    let hasMore = !keepsEnd && part.count < range.count
    let isBounded = parameters.keys.contains { $0.hasPrefix("end") }
    return .slice(
      of: part.map(\.note.json), hasMore: hasMore,
      hasPrevious: part.first.map { $0.place != notes[0].place } ?? false,
      start: part.first.map { "p\($0.place)" }, end: part.last.map { "p\($0.place)" },
      endReason: isBounded ? "range" : "end", seq: "e.\(log.count)")
  }

  func changes(_ parameters: [String: String]) -> TransportReply {
    let since = Int(parameters["since"]?.dropFirst(2) ?? "") ?? 0
    guard since >= firstSeq, looks || parameters["refresh"] == nil else {
      return .problem(since < firstSeq ? .sinceExpired : .invalidParameter)
    }
    let end = min(log.count, since + 7)
    let changes = (since..<end).map { index -> String in
      let (id, hasMoved) = log[index]
      let seq = #""seq":"e.\#(index + 1)","id":"\#(id)""#
      guard let now = notes.first(where: { $0.note.id == id }) else {
        return #"{"op":"delete",\#(seq)}"#
      }
      return """
        {"op":"upsert",\(seq),"cursor":"p\(now.place)","moved":\(hasMoved),"item":\(now.note.json)}
        """
    }
    return .changes(changes, next: "e.\(end)", hasMore: end < log.count)
  }
}
