package import Feed
package import SharedStore
import Synchronization

/// What servers share, in memory: plain enough to be right at sight.
package final class MemoryLedger: SharedLedger {
  struct Flight {
    var token: Token
    var holder: String
    var until: Timestamp
    var budget: String?
    var pause: CallPause?
    var ended: Token?
  }
  struct LogRow {
    var number: Int64
    var feed: String
    var state: SharedState
    var kind: Kind

    enum Kind {
      case rows, drop, item
    }
  }
  struct Source {
    var revision: Int64 = 0
    var number: Int64 = 0
    var budgets: [String?: Budget] = [:]
    var flights: [String: Flight] = [:]
    var log: [LogRow] = []
    var latest: UpstreamDate?
  }
  struct Row {
    var element: SharedElement
    var version: Int64
  }
  struct Feed {
    var feed: SharedFeed
    var rows: [Position: Row] = [:]
  }
  struct Item {
    var item: SharedItem
    var number: Int64
    var bytes: [UInt8]?
  }
  struct Seen {
    var at: Timestamp
    /// Since when it has beaten without a pause.
    var since: Timestamp
    var listened: Int
  }
  struct State: Sendable {
    var epoch: String
    var floor: Int64 = 0
    var sources: [String: Source] = [:]
    var feeds: [String: Feed] = [:]
    var items: [String: [Identity: Item]] = [:]
    var servers: [String: Seen] = [:]
  }
  let state: Mutex<State>
  private let time: any TimeSource

  /// How long a server is taken for living that does not beat.
  static let silence = Duration.seconds(200)

  /// Nothing is shared yet.
  package init(time: any TimeSource, epoch: String = "ledger01") {
    self.time = time
    state = Mutex(State(epoch: epoch))
  }

  /// All that is shared, as a backup has it.
  package struct Backup: Sendable {
    fileprivate let state: State
  }

  /// A backup of all that is shared.
  package var backup: Backup { Backup(state: state.withLock { $0 }) }

  /// Tells another epoch from now on.
  package func tell(epoch: String) {
    state.withLock { $0.epoch = epoch }
  }

  /// Goes back to a backup.
  package func restore(_ backup: Backup) {
    state.withLock { $0 = backup.state }
  }

  package func leave(_ server: Server) {
    state.withLock { $0.servers[server.id] = nil }
  }

  package func beat(_ server: Server) throws(StoreError) -> Heartbeat {
    let now = time.now
    return state.withLock { state in
      let before = state.servers[server.id]
      let goesOn = before.map { now - $0.at < Self.silence } ?? false
      state.servers[server.id] = Seen(
        at: now, since: goesOn ? before?.since ?? now : now, listened: server.listenedFeeds)
      let living = state.servers.values.filter { now - $0.at < Self.silence }
      var heartbeat = Heartbeat(
        epoch: state.epoch, numbers: state.sources.mapValues(\.number),
        revisions: state.sources.mapValues(\.revision), servers: living.count,
        listenedFeeds: living.reduce(0) { $0 + $1.listened }, now: now)
      heartbeat.changes = state.sources.compactMapValues { source in
        guard let last = source.log.last, last.number == source.number, case .rows = last.kind
        else { return nil }
        return Heartbeat.Change(last.feed, last.state)
      }
      return heartbeat
    }
  }

  package func ground(of call: SharedCall, for server: Server) throws(StoreError) -> Ground {
    let now = time.now
    return state.withLock { state in
      let source = state.sources[call.source] ?? Source()
      let living = source.flights.filter { state.isLiving($0.value, to: server.id, at: now) }
      var budget = source.budgets[call.budget]
      budget?.inFlight = living.count { $0.value.budget == call.budget }
      let held = living[call.key].flatMap { $0.holder == server.id ? nil : $0.until }
      var ground = Ground(
        epoch: state.epoch, revision: source.revision, number: source.number, budget: budget,
        othersInFlight: living.count { $0.value.holder != server.id },
        state: call.feed.flatMap { state.feeds[$0.name]?.feed.state }, heldUntil: held,
        pause: source.flights[call.key]?.pause, latest: source.latest)
      let isPaused = source.flights.values.contains { $0.pause.map { $0.until > now } ?? false }
      ground.floor = state.floor
      ground.ended = source.flights[call.key]?.ended
      ground.isQuiet = ground.othersInFlight == 0 && !isPaused
      return ground
    }
  }

  package func claim(
    _ call: SharedCall, knowing ground: Ground, leaving budget: Budget, lease: Duration,
    for server: Server
  ) throws(StoreError) -> Token? {
    let now = time.now
    return state.withLock { state in
      var source = state.sources[call.source] ?? Source()
      guard state.epoch == ground.epoch, source.revision == ground.revision else { return nil }
      let token = (source.flights[call.key]?.token ?? 0) + 1
      source.revision += 1
      source.budgets[call.budget] = budget
      source.flights[call.key] = Flight(
        token: token, holder: server.id, until: now + lease, budget: call.budget,
        ended: source.flights[call.key]?.ended)
      state.sources[call.source] = source
      return token
    }
  }

  package func settle(
    _ call: SharedCall, token: Token, leaving end: SharedEnd, for server: Server
  ) throws(StoreError) -> Bool {
    state.withLock { state in
      guard state.sources[call.source]?.revision == end.revision else { return false }
      state.sources[call.source]?.revision += 1
      state.end(call, token, end)
      return true
    }
  }

  package func write(
    _ rows: SharedRows, over base: SharedState?, of call: (call: SharedCall, token: Token)?,
    leaving end: SharedEnd?, for server: Server
  ) throws(StoreError) -> SharedMove? {
    let revision = state.withLock { $0.sources[rows.feed.source]?.revision }
    if let end, end.revision != revision { return nil }
    let move = state.withLock { state -> SharedMove? in
      if let call {
        let flight = state.sources[rows.feed.source]?.flights[call.call.key]
        guard flight?.token == call.token, flight?.holder == server.id else { return nil }
      }
      guard state.feeds[rows.feed.name]?.feed.state == base else { return nil }
      let isLate = rows.items.contains { item in
        state.items[item.realm]?[item.id].map {
          $0.item.digest == nil && $0.item.sentAt > item.sentAt && item.digest != nil
        } ?? false
      }
      guard !isLate else { return nil }
      let number = state.tell(rows.feed.name, rows.feed.state, .rows, of: rows.feed.source)
      state.keep(rows.items, rows.contents, number: number)
      var feed = state.feeds[rows.feed.name] ?? Feed(feed: rows.feed)
      feed.feed = rows.feed
      for element in rows.elements {
        feed.rows[element.known.position] = Row(element: element, version: rows.feed.version)
      }
      state.feeds[rows.feed.name] = feed
      if let call, let end { state.end(call.call, call.token, end) }
      return state.move(of: rows.feed.source)
    }
    guard let move else { throw .overtaken }
    return move
  }

  package func write(
    _ items: [SharedItem], contents: [Identity: [UInt8]], of source: String, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    state.withLock { state in
      guard state.end(ending) else { return nil }
      let number = state.tell("", SharedState(version: 0, stamp: 0), .item, of: source)
      state.keep(items, contents, number: number)
      return state.move(of: source)
    }
  }

  package func delete(
    _ ids: [Identity], realm: String, of source: String, sentAt: Timestamp, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    state.withLock { state in
      guard state.end(ending) else { return nil }
      for id in ids {
        guard var item = state.items[realm]?[id], item.item.sentAt <= sentAt else { continue }
        let number = state.tell("", SharedState(version: 0, stamp: 0), .item, of: source)
        (item.item.digest, item.item.sentAt, item.bytes) = (nil, sentAt, nil)
        item.number = number
        state.items[realm]?[id] = item
        for (name, feed) in state.feeds where feed.feed.realm == realm {
          var feed = feed
          let places = feed.rows.filter {
            $0.value.element.known.id == id && $0.value.element.known.state != .removed
          }
          guard !places.isEmpty else { continue }
          feed.feed.version += 1
          feed.feed.stamp = feed.feed.stamp &+ 1
          for (position, row) in places {
            var row = row
            feed.feed.timeline.sequence += 1
            row.element.known.leave(at: sentAt)
            row.element.sequence = feed.feed.timeline.sequence
            row.version = feed.feed.version
            feed.rows[position] = row
          }
          state.feeds[name] = feed
          _ = state.tell(name, feed.feed.state, .rows, of: source)
        }
      }
      return state.move(of: source)
    }
  }

  package func drop(
    _ feed: String, of source: String, unless recipe: Int64?
  ) throws(StoreError) {
    let isTaken = state.withLock { state in
      guard let dropped = state.feeds[feed] else { return true }
      if let recipe, dropped.feed.recipe == recipe { return false }
      state.feeds[feed] = nil
      state.floor = max(state.floor, dropped.feed.timeline.sequence + 1)
      _ = state.tell(feed, dropped.feed.state, .drop, of: source)
      return true
    }
    guard isTaken else { throw .overtaken }
  }

  package func news(beyond copy: SourceCopy) throws(StoreError) -> StoreNews? {
    state.withLock { state in
      let (source, number, states) = (copy.source, copy.number, copy.states)
      let known = state.sources[source] ?? Source()
      guard known.number != number || known.revision != copy.revision else { return nil }
      var news = StoreNews(source: source, number: known.number, epoch: state.epoch)
      news.revision = known.revision
      for (limit, budget) in known.budgets {
        news.budgets[Budgets.keptName(of: limit, in: source)] = budget
      }
      var changed = copy.revision < 0 ? Set(states.keys) : []
      for row in known.log where row.number > number && states[row.feed] != nil {
        if case .drop = row.kind {
          news.feeds.append(.drop(row.feed))
        } else {
          changed.insert(row.feed)
        }
      }
      // One that was dropped and made anew has told of a version twice.
      news.isDiverged = states.contains { name, here in
        let told = known.log.filter {
          if case .rows = $0.kind {
            $0.feed == name && $0.state.version == here.version
          } else {
            false
          }
        }
        return !told.isEmpty && !told.contains { $0.state.stamp == here.stamp }
      }
      for name in changed.sorted() {
        guard let here = states[name], let feed = state.feeds[name], feed.feed.state != here
        else { continue }
        var rows = SharedRows(feed: feed.feed)
        rows.elements = feed.rows.values.filter { $0.version > here.version }.map(\.element)
        rows.items = state.items(of: rows.elements, in: feed.feed.realm)
        for item in rows.items {
          guard let known = state.items[item.realm]?[item.id], known.number > number else {
            continue
          }
          rows.contents[item.id] = known.bytes
        }
        news.feeds.append(.rows(rows))
      }
      for (realm, items) in state.items where realm.hasPrefix(source + "#") {
        news.items += items.values.filter { $0.number > number }.map(\.item)
      }
      return news
    }
  }

  package func feed(_ name: String) throws(StoreError) -> SharedRows? {
    state.withLock { state in
      guard let feed = state.feeds[name] else { return nil }
      var rows = SharedRows(feed: feed.feed)
      rows.elements = feed.rows.values.map(\.element)
      rows.items = state.items(of: rows.elements, in: feed.feed.realm)
      return rows
    }
  }

  package func items(
    _ ids: [Identity], realm: String
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    state.withLock { state in
      let found = ids.compactMap { state.items[realm]?[$0] }
      let contents = found.compactMap { item in item.bytes.map { (item.item.id, $0) } }
      return (found.map(\.item), Dictionary(contents) { $1 })
    }
  }

  package func budget(of name: String) throws(StoreError) -> Budget? {
    state.withLock { state in
      for (source, known) in state.sources {
        for (limit, budget) in known.budgets where Budgets.keptName(of: limit, in: source) == name {
          return budget
        }
      }
      return nil
    }
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {}

  package func begin(after epoch: String) throws(StoreError) {
    state.withLock { state in
      guard state.epoch == epoch else { return }
      state.epoch = "ledger\(String(Int.random(in: 10...99)))"
      for name in state.sources.keys { state.sources[name]?.revision += 1 }
      for (name, known) in state.feeds where !known.feed.timeline.lineages.isEmpty {
        state.feeds[name]?.feed.timeline.lineages = [Lineage(name: .random(in: 1 ... .max))]
        state.feeds[name]?.feed.version = known.feed.state.nextVersion
        state.feeds[name]?.feed.stamp = .random(in: .min ... .max)
      }
    }
  }
}
