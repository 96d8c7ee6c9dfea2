import Feed
import Support
import Synchronization

/// The upstream of a history: lists that share their articles, move, fail and count calls.
final class World: Sendable {
  /// An element, whatever lists it is in.
  struct Article {
    /// `created_at`.
    var second: Int64
    /// What that was at first.
    let firstSecond: Int64
    /// When each of its versions came; the last one is the present.
    var versions: [Timestamp]
    /// Whether it cannot be used: without a date, or with broken bytes.
    var isBad = false
    /// When it could last be used again after it could not.
    var mendedAt: Timestamp?
    /// When it was deleted.
    var deletedAt: Timestamp?

    init(second: Int64, versions: [Timestamp]) {
      self.second = second
      firstSecond = second
      self.versions = versions
    }
  }
  struct State {
    /// What its lists are called.
    let names: ScriptedFeeds
    var lists: [FeedID: ScriptedList] = [:]
    var articles: [Identity: Article] = [:]
    var random: SeededGenerator
    var lastID = 0
    var failsUntil: Timestamp
    /// Until when nothing can be written to the disk.
    var diskFailsUntil: Timestamp
    var isQuiet = false
    var calls: [Timestamp] = []
    var resetAt: Timestamp?
    var spent = 0
    /// Since when, and until when, the reader knows that nothing may be asked.
    var refusal: (since: Timestamp, until: Timestamp)?
    /// Calls under way, by what they are for, of the process that lives.
    var flying: [String: Int] = [:]
    /// The last answer of each list, and how often it came for the same call in a row.
    var repeated: [String: Repeated] = [:]
    /// Counts processes.
    var life = 0
    var violation: String?
    /// Elements that were ever moved inside a list, or could not be used for a while: what came
    /// beside them meanwhile may be shown on either side.
    var wavering: Set<Identity> = []
    /// Elements whose date ever changed: for a while they may be met where they stood.
    var redated: Set<Identity> = []
    /// What the last event was about.
    var touched: [Identity] = []
    /// What answers are made odd by.
    var oddness = Oddness()
  }
  let script: Script
  let time: VirtualTime
  let trace: Trace
  let state: Mutex<State>

  init(_ script: Script, time: VirtualTime, trace: Trace) {
    self.script = script
    self.time = time
    self.trace = trace
    state = Mutex(
      State(
        names: script.dialect.lists, random: SeededGenerator(seed: script.seed),
        failsUntil: time.now, diskFailsUntil: time.now))
    state.withLock { $0.begin(script, at: time.now) }
  }

  /// How an upstream second reads on its clock.
  func clock(at now: Timestamp) -> Int64 { now.seconds + script.clockAhead }

  /// The next random number of the world.
  func number(_ range: ClosedRange<Int>) -> Int {
    state.withLock { $0.random.number(range) }
  }

  func list(_ feed: FeedID) -> ScriptedList {
    state.withLock { $0.lists[feed] ?? ScriptedList() }
  }

  /// The contents that a list shows now, top first.
  func contents(of feed: FeedID) -> [String] {
    let state = state.withLock { $0 }
    return (state.lists[feed]?.entries ?? []).compactMap { entry in
      guard let article = state.articles[entry.id], !article.isBad else { return nil }
      return String(
        decoding: World.bytes(entry.id, version: article.versions.count), as: UTF8.self)
    }
  }

  /// Why nothing can be written to the disk; nil while it can.
  var diskFailure: StoreError? {
    state.withLock { time.now < $0.diskFailsUntil ? .full : nil }
  }

  /// The bytes of an element in a version.
  static func bytes(_ id: Identity, version: Int) -> [UInt8] {
    Array("\(id.text)#\(version)".utf8)
  }

  /// The version that bytes are of.
  static func version(of bytes: [UInt8]) -> Int? {
    bytes.split(separator: UInt8(ascii: "#")).last.flatMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
  }
}

extension World.State {
  /// Fills the lists with articles of the past.
  fileprivate mutating func begin(_ script: Script, at now: Timestamp) {
    for feed in [names.items] + names.others { lists[feed] = ScriptedList() }
    let past = Timestamp(seconds: 0)
    var second = now.seconds + script.clockAhead - 300 * Int64(script.articles) - 1_000
    let large = script.odd.largeSeconds.map { (at: random.number(0...script.articles), count: $0) }
    for number in 0...script.articles {
      for (_, count) in large.filter({ $0.at == number }) {
        second += 7
        for _ in 0..<count { appear(second: second, at: past) }
      }
      guard number < script.articles else { break }
      if !random.chance(script.ties) { second += Int64(random.number(1...250)) }
      appear(second: second, at: past)
    }
    for _ in 0..<min(script.articles, random.number(0...300)) {
      let id = newIdentity("u")
      articles[id] = World.Article(second: 0, versions: [past])
      lists[names.followers]?.insert(id, second: 0, at: past)
    }
    for _ in 0..<min(script.articles, 150) {
      let id = newIdentity("c")
      articles[id] = World.Article(second: 0, versions: [past])
      lists[names.comments]?.insert(id, second: 0, at: past)
    }
  }

  mutating func newIdentity(_ kind: String) -> Identity {
    lastID += 1
    return Identity(kind + scrambledIdentity(lastID).text)
  }

  /// A new article, in the list of all and in some of the others.
  mutating func appear(second: Int64, at now: Timestamp) {
    let id = newIdentity("a")
    articles[id] = World.Article(second: second, versions: [now])
    touched.append(id)
    lists[names.items]?.insert(id, second: second, at: now)
    if random.chance(60) { lists[names.found]?.insert(id, second: second, at: now) }
    if random.chance(50) { lists[names.tagged]?.insert(id, second: 0, at: now) }
    if random.chance(40) { lists[names.stocked]?.insert(id, second: 0, at: now) }
  }

  /// Deletes an element everywhere.
  mutating func vanish(_ id: Identity, at now: Timestamp) {
    for feed in [names.items] + names.others { lists[feed]?.remove(id, at: now) }
    articles[id]?.deletedAt = now
    touched.append(id)
  }
}
