import Support

/// What is odd about a seed's upstream, besides that it moves and fails: most seeds have nothing of
/// it, some have one kind, a few have two.
package struct Oddities: Hashable, Sendable {
  /// A way in which upstreams are odd.
  package enum Kind: String, CaseIterable, Sendable {
    /// Seconds that more elements share than one answer shows.
    case largeSeconds
    /// Elements whose date changes, to a newer or an older one.
    case redates
    /// Lists of the upstream's own order in which neighbours move together, stretches go, and many
    /// come at once at the top, in the middle or at the bottom.
    case groups
    /// Many elements at once that carry dates of the past.
    case lateBursts
    /// A total that is absent, behind, about right, too large for once, or shrinks.
    case totals
    /// Answers that are too short, empty, or have nothing on them that can be used.
    case stubs
    /// A `Date` that is absent, stands still, slips, or is of another clock each time.
    case dates
    /// Answers out of caches, each window's as old as it is.
    case caches
    /// Several backends, each behind by its own time.
    case backends
    /// Elements that now and then cannot be used in the next answers that show them.
    case flickers
    /// Pages larger than this are served as of this size.
    case pageSizes
    /// More comes between two looks than one answer shows, while clients follow the changes.
    case follows

    /// Those under which every promise holds.
    package static let held = allCases.filter { $0 != .groups }
  }
  /// What totals are like.
  package enum Totals: Hashable, Sendable { case exact, absent, late, noisy, tooLarge, shrinking }
  /// What the `Date` of answers is like.
  package enum Dates: Hashable, Sendable { case right, absent, frozen, slipping, mixed }

  /// The kinds.
  package var kinds: Set<Kind> = []
  /// How many elements the large seconds hold.
  package var largeSeconds: [Int] = []
  /// Totals.
  package var totals = Totals.exact
  /// Of a hundred, how many answers are stubs.
  package var stubs = 0
  /// Dates.
  package var dates = Dates.right
  /// How long a cache keeps each answer, in seconds; 0 without one.
  package var cacheSeconds = 0
  /// Whether answers out of the cache tell their `Age`; their `Date` they tell always.
  package var tellsAge = true
  /// How far the backends are behind, in seconds.
  package var lags: [Int64] = []
  /// The largest page that is served.
  package var perPageServed = 100

  /// An upstream without oddities.
  package init() {}

  /// Those of a seed; `only` are its kinds where they are given.
  init(seed: UInt64, only: Set<Kind>?) {
    var random = SeededGenerator(seed: seed &* 0x9e37_79b9_7f4a_7c15 ^ 0x6f64_6473)
    let first = random.chance(60) ? Kind.held.randomElement(using: &random) : nil
    let second = random.chance(15) ? Kind.held.randomElement(using: &random) : nil
    kinds = only ?? Set([first, second].compactMap(\.self))
    let large = (0..<random.number(1...3)).map { _ in
      random.pick(20, 110, 130, 180, 300, 700, 1_000)
    }
    if kinds.contains(.largeSeconds) { largeSeconds = large }
    let (odd, date) = (
      random.pick(Totals.absent, .late, .noisy, .tooLarge, .shrinking),
      random.pick(Dates.absent, .frozen, .slipping, .mixed)
    )
    if kinds.contains(.totals) { totals = odd }
    if kinds.contains(.dates) { dates = date }
    let (stub, cached, told) = (
      random.number(2...25), random.pick(1, 5, 60, 600), random.chance(60)
    )
    if kinds.contains(.stubs) { stubs = stub }
    if kinds.contains(.caches) { (cacheSeconds, tellsAge) = (cached, told) }
    let behind = (0..<random.number(1...3)).map { _ in Int64(random.pick(1, 7, 30, 120)) }
    if kinds.contains(.backends) { lags = [0] + behind }
    let served = random.pick(20, 30, 50)
    if kinds.contains(.pageSizes) { perPageServed = served }
  }
}
