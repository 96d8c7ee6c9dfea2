package import Feed
import Support

/// What a seed makes of a history before it begins: the lists, how they move, what fails, the
/// rules of the reader. Everything later comes from the same seed too.
package struct Script: Hashable, Sendable {
  /// The seed.
  package var seed: UInt64
  /// How the upstream speaks.
  package var dialect: Dialect
  /// The lists that are read, from the largest on.
  package var feeds: [FeedID]
  /// Articles there are at the beginning.
  package var articles: Int
  /// Of a hundred, how many share their predecessor's second.
  package var ties: Int
  /// Whether articles of one second come in another order in every answer.
  package var shufflesTies: Bool
  /// The mean time between two events upstream.
  package var eventGap: Duration
  /// The most events there are by themselves.
  package var eventsMax: Int
  /// The most events just before a call is answered.
  package var eventsPerCall: Int
  /// Of a hundred, how many calls fail.
  package var failures: Int
  /// The largest window that is answered whole; more is too large.
  package var perPageBearable: Int
  /// Of a hundred, how many answers have elements in wrong order, or one twice.
  package var disorder: Int
  /// Whether answers tell the budget in their heads.
  package var tellsBudget: Bool
  /// Calls an hour.
  package var callsAnHour: Int
  /// Whether answers tell how many elements there are.
  package var tellsTotal: Bool
  /// How many milliseconds an answer usually takes at the most.
  package var latencyMilliseconds: Int
  /// Whether an answer shows what is there when it is sent for, and all it takes is its way back:
  /// then none sent for later shows less.
  package var answersAtOnce: Bool
  /// How far the upstream's clock is ahead, in seconds.
  package var clockAhead: Int64
  /// How often the process is killed, of a hundred events.
  package var kills: Int
  /// How many readers there are.
  package var visitors: Int
  /// The reader's rules.
  package var policy: Policy
  /// What the store may hold before something is given up.
  package var limits: Eviction.Limits
  /// Whether the store is a file, as a server's is.
  package var isStoredInFile: Bool
  /// Servers that share one store; 1 is one that shares with nobody.
  package var servers = 1
  /// Of a thousand calls to what is shared, how many are lost, before or after their effect.
  package var losses = 0
  /// How long a call may take, as those who share believe.
  package var lease = Duration.seconds(60)
  /// What else is odd.
  package var odd: Oddities

  /// The script of a seed; `only` are the kinds of oddities it has, where they are given.
  package init(
    seed: UInt64, only: Set<Oddities.Kind>? = nil, in dialect: Dialect = .articles
  ) {
    var random = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d)
    self.seed = seed
    self.dialect = dialect
    let size = random.number(0...99)
    articles =
      switch size {
      case 0..<10: random.number(0...3)
      case 10..<40: random.number(0...99)
      case 40..<80: random.number(90...220)
      case 80..<97: random.number(200...600)
      default: random.number(600...1_500)
      }
    ties = random.pick(0, 5, 30, 70, 90)
    shufflesTies = random.chance(40)
    eventGap = .milliseconds(random.pick(150, 500, 3_000, 60_000, 1_200_000))
    eventsMax = random.number(0...250)
    eventsPerCall = random.pick(0, 0, 1, 3)
    failures = random.pick(0, 0, 2, 10, 30)
    perPageBearable = random.chance(15) ? random.number(10...99) : 100
    disorder = random.chance(20) ? random.number(1...30) : 0
    tellsBudget = random.chance(85)
    callsAnHour =
      perPageBearable < 40 ? 1_000 : random.pick(articles > 250 ? 60 : 25, 60, 300, 1_000)
    latencyMilliseconds = random.pick(1, 200, 2_000, 25_000)
    // Without it no second can be counted that is larger than an answer and in another order each
    // time, and a search that outlasts its request begins anew with the next.
    tellsTotal = shufflesTies || latencyMilliseconds > 2_000 || random.chance(50)
    answersAtOnce = random.chance(50)
    clockAhead = random.pick(0, 0, 1, -1, 7, -3_000, 86_400)
    kills = random.pick(0, 0, 2, 8)
    visitors = random.number(1...5)
    policy = Script.policy(using: &random)
    isStoredInFile = random.chance(10)
    limits = Script.limits(using: &random)
    if limits.bytesMax != nil || limits.feedsMax < 10 { policy.openingPermille = 1_000_000 }
    feeds = Script.feeds(of: dialect.lists, using: &random)
    odd = Oddities(seed: seed, only: only)
    fit()
  }

  /// The same among so many servers that share a store, and lose their ways to it.
  package func shared(by servers: Int) -> Script {
    var script = self
    var random = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15)
    script.servers = servers
    script.losses = random.pick(0, 0, 5, 50)
    // Copies have limits of their own; what is shared has none here.
    script.limits.bytesMax = nil
    return script
  }

  /// Makes the rest of the script such that its oddities can be read at all.
  private mutating func fit() {
    if odd.kinds.contains(.largeSeconds) {
      // What cannot be counted by any means is not asked for.
      if shufflesTies { odd.largeSeconds = odd.largeSeconds.map { min($0, 150) } }
      perPageBearable = 100
      callsAnHour = 1_000
      (disorder, tellsTotal) = (0, true)
      latencyMilliseconds = min(latencyMilliseconds, 2_000)
      if !feeds.contains(dialect.lists.items) { feeds.insert(dialect.lists.items, at: 0) }
    }
    if odd.kinds == [.lateBursts] || odd.kinds == [.flickers], seed.isMultiple(of: 2) {
      // See `isPrompt`.
      (tellsTotal, tellsBudget, shufflesTies) = (true, true, false)
      (perPageBearable, callsAnHour, disorder) = (100, 1_000, 0)
      latencyMilliseconds = min(latencyMilliseconds, 2_000)
      (isStoredInFile, limits.bytesMax) = (false, nil)
      if !feeds.contains(dialect.lists.items) { feeds.insert(dialect.lists.items, at: 0) }
    }
    if odd.perPageServed < 100 { perPageBearable = 100 }
    // An upstream whose pages have one size bears them.
    if dialect.paging.addressing == .pages {
      perPageBearable = max(perPageBearable, dialect.paging.perPageMax)
    }
    if odd.totals != .exact || odd.dates != .right || odd.stubs > 0 || odd.perPageServed < 100 {
      shufflesTies = false
    }
    if odd.totals == .absent { tellsTotal = false }
    // Without a total nothing contradicts an answer that is too short.
    if odd.stubs > 0, odd.totals != .exact { odd.totals = .late }
    if odd.stubs > 0 || ![.exact, .absent].contains(odd.totals) { tellsTotal = true }
    // A process that begins with a copy has nothing to tell by that it is one.
    if kills > 0 { odd.tellsAge = true }
    // The reset is told by the same clock.
    if odd.dates != .right { tellsBudget = false }
    if odd.kinds.contains(.groups), !feeds.contains(where: { $0.pattern.order == .observed }) {
      feeds.append(dialect.lists.tagged)
    }
  }

  /// The most elements that a page has.
  func perPageMax(in paging: Paging) -> Int {
    min(perPageBearable, odd.perPageServed, paging.perPageMax)
  }

  /// Whether an hour's calls suffice to read so many elements over and over again, and windows can
  /// show each place with enough of what is above it: with pages of n at most they leave some out
  /// from about rank n² / 2 on.
  func bears(rereading count: Int) -> Bool {
    let calls = tellsBudget ? callsAnHour : min(callsAnHour, Policy().allowance.calls)
    let perPage = perPageMax(in: dialect.paging)
    return 9 * count <= calls * perPage && count <= min(12 * perPage, perPage * perPage / 2)
  }

  /// Whether late arrivals have to be found at once: where nothing but them is odd, the upstream
  /// tells its total, places are told by ranks, and calls enough are left. What lies past a wall
  /// is found by a recheck.
  var isPrompt: Bool {
    odd.kinds.isSubset(of: [.lateBursts, .flickers]) && !odd.kinds.isEmpty
      && dialect.paging.isRanked && dialect.paging.joins == nil && dialect.paging.past == nil
      && feeds.contains(dialect.lists.items) && tellsTotal && !shufflesTies && tellsBudget
      && perPageBearable == 100 && callsAnHour >= 1_000 && latencyMilliseconds <= 2_000
      && limits.bytesMax == nil && !isStoredInFile && disorder == 0 && policy.maxInFlight > 0
  }

  /// By how much a proof may seem later than it is: of answers by turns nobody knows which of the
  /// backends is the one that is not behind, and `Date` and `Age` tell whole seconds.
  var proofSlack: Duration {
    if let lag = odd.lags.max() { return .seconds(lag + 2) }
    return odd.cacheSeconds > 0 ? .seconds(2) : .zero
  }

  private static func policy(using random: inout SeededGenerator) -> Policy {
    var policy = Policy()
    policy.freshSeconds = random.pick(1, 5, 60)
    policy.recheckSeconds = random.pick(5, 60, 3_600)
    policy.staleSeconds = policy.recheckSeconds * Int64(random.pick(2, 24))
    policy.refreshSeconds = random.pick(0, 1, 10)
    policy.prefetchItems = random.pick(0, 20, 100)
    policy.maxInFlight = random.pick(1, 2, 4)
    policy.reserveCalls = random.pick(0, 5)
    policy.openingPermille = random.pick(500, 1_000)
    return policy
  }

  private static func limits(using random: inout SeededGenerator) -> Eviction.Limits {
    Eviction.Limits(
      bytesMax: random.chance(20) ? Int64(random.number(1_000...8_000)) : nil,
      feedsMax: random.chance(20) ? random.number(1...3) : 10,
      remembers: .seconds(random.pick(4_000, 2_592_000)))
  }

  private static func feeds(
    of lists: ScriptedFeeds, using random: inout SeededGenerator
  ) -> [FeedID] {
    var feeds = [lists.items]
    feeds += lists.others.filter { _ in random.chance(30) }
    if random.chance(30), feeds.count > 1 { feeds.removeFirst() }
    return feeds
  }
}
