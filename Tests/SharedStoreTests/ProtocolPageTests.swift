import Feed
import Foundation
import History
import SharedStore
import Support
import Testing

/// The drawings of the page on the protocol are what happens.
@Suite struct ProtocolPageTests {
  /// The lines of each drawing on the page.
  static let drawings: [[String]] = {
    let page = try? Checkout.text(of: "Sources/SharedStore/SharedStore.docc/TheProtocol.md")
    return fencedBlocks("drawing", of: page ?? "").map { text in
      text.split(separator: "\n").map(String.init)
    }
  }()

  @Test func thePageHasDrawings() {
    #expect(Self.drawings.count == 6)
  }

  @Test(arguments: drawings)
  func eachStepComesToWhatIsDrawn(lines: [String]) throws {
    let names = lines[0].cells
    #expect(names == ["one", "other"])
    let play = ProtocolPlay(names)
    for line in lines.dropFirst() {
      guard !line.hasPrefix("-- ") else {
        try play.happen(line.trimmingCharacters(in: CharacterSet(charactersIn: "- ")))
        continue
      }
      let cells = line.cells
      let index = try #require(cells.firstIndex { !$0.isEmpty }, "\(line)")
      #expect(cells.count == 2 && cells[1 - index].isEmpty, "\(line)")
      let parts = cells[index].components(separatedBy: " → ")
      try #require(parts.count == 2, "\(line)")
      #expect(try play.does(parts[0], names[index]) == parts[1], "\(line)")
    }
  }
}

extension String {
  /// The columns of a line, without the space around them.
  fileprivate var cells: [String] {
    components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}

/// Servers over a store in memory, which do what a drawing says.
private final class ProtocolPlay {
  private struct Copy {
    var ground: Ground?
    var token: Token?
    var epoch: String
    var number: Int64 = 0
    var state: SharedState?
  }

  private let time = HandClock(at: Timestamp(seconds: 1_000))
  private let ledger: MemoryLedger
  private let call = SharedCall(
    source: FeedID.shared.source, key: "feed", feed: .shared, budget: nil)
  private var servers: [String: Copy] = [:]
  private var backup: MemoryLedger.Backup?
  private var stamp: Int64 = 0

  init(_ names: [String]) {
    ledger = MemoryLedger(time: time)
    for name in names { servers[name] = Copy(epoch: "ledger01") }
  }

  /// Something that no server does.
  func happen(_ event: String) throws {
    switch event {
    case "backup": backup = ledger.backup
    case "restore": ledger.restore(try #require(backup))
    default:
      let seconds = try #require(event.split(separator: " ").first.flatMap { Int64($0) })
      time.advance(.seconds(seconds))
    }
  }

  /// What comes of a step.
  func does(_ step: String, _ name: String) throws -> String {
    let words = step.split(separator: " ").map(String.init)
    var copy = try #require(servers[name])
    defer { servers[name] = copy }
    switch words[0] {
    case "ground":
      let ground = try ledger.ground(of: call, for: Server(id: name))
      copy.ground = ground
      return "revision \(ground.revision), \(ground.heldUntil == nil ? "free" : "held")"
    case "claim": return try claim(&copy, name)
    case "settle":
      let isSettled = try ledger.settle(
        call, token: try #require(copy.token), leaving: try end(of: name), for: Server(id: name))
      return isSettled ? "settled" : "refused"
    case "write": return try write(Array(words.dropFirst()), &copy, name)
    case "news": return try news(&copy)
    case "begin":
      try ledger.begin(after: copy.epoch)
      return try beat(&copy, name)
    case "beat": return try beat(&copy, name)
    default: return "no step"
    }
  }

  private func claim(_ copy: inout Copy, _ name: String) throws -> String {
    let ground = try #require(copy.ground)
    var budget = ground.budget ?? Budget(limit: 60, remaining: 60, resetAt: nil)
    budget.remaining -= 1
    let token = try ledger.claim(
      call, knowing: ground, leaving: budget, lease: .seconds(30), for: Server(id: name))
    copy.token = token
    return token.map { "token \($0), \(budget.remaining) left" } ?? "refused"
  }

  private func end(of name: String) throws -> SharedEnd {
    let ground = try ledger.ground(of: call, for: Server(id: name))
    return SharedEnd(knowing: ground.revision, budget: try #require(ground.budget))
  }

  private func write(_ ids: [String], _ copy: inout Copy, _ name: String) throws -> String {
    stamp += 1
    let feed = FeedID.shared
    let version = (copy.state?.version ?? 0) + 1
    var rows = SharedRows(
      feed: SharedFeed(
        name: feed.name, source: feed.source, realm: feed.realm, order: .value, version: version,
        stamp: stamp, changesFloor: 0, timeline: Timeline()))
    for text in ids {
      let id = Identity(text)
      rows.elements.append(
        SharedElement(
          known: KnownElement(
            position: Position(order: 0, tie: id.bytes), id: id, updatedAt: nil, state: .live,
            missingSince: nil, sentAt: time.now),
          sequence: version))
      rows.items.append(
        SharedItem(realm: feed.realm, id: id, sentAt: time.now, digest: SharedItem.digest(of: [])))
      rows.contents[id] = []
    }
    let right = copy.token.map { (call: call, token: $0) }
    do {
      let move = try ledger.write(
        rows, over: copy.state, of: right, leaving: right.map { _ in try end(of: name) },
        for: Server(id: name))
      copy.number = try #require(move).number
      (copy.state, copy.token) = (rows.feed.state, nil)
      return "number \(copy.number)"
    } catch StoreError.overtaken {
      copy.token = nil
      return "overtaken"
    }
  }

  /// What a copy learns; one that does not have the feed is brought all of it.
  private func news(_ copy: inout Copy) throws -> String {
    let feed = FeedID.shared
    let states = copy.state.map { [feed.name: $0] } ?? [:]
    let news = try ledger.news(
      beyond: SourceCopy(of: feed.source, number: copy.number, states: states))
    guard let news else { return "nothing" }
    guard news.number >= copy.number, !news.isDiverged else { return "lost" }
    copy.number = news.number
    var found: SharedRows?
    if copy.state == nil {
      found = try ledger.feed(feed.name)
    } else {
      for case .rows(let rows) in news.feeds { found = rows }
    }
    guard let found else { return "nothing" }
    copy.state = found.feed.state
    let ids = found.elements.map(\.known.id.text).sorted().joined(separator: " ")
    return "number \(copy.number): \(ids)"
  }

  private func beat(_ copy: inout Copy, _ name: String) throws -> String {
    let heartbeat = try ledger.beat(Server(id: name))
    guard heartbeat.epoch != copy.epoch else { return "the same epoch" }
    copy = Copy(epoch: heartbeat.epoch)
    return "another epoch"
  }
}
