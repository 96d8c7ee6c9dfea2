/// How a request is answered from what is kept (RFC 9111 §4, RFC 5861).
package enum Reuse: Hashable, Sendable {
  /// With what is kept. `ttl` is how many seconds it is fresh yet, negative past that.
  case serve(ttl: Int64)
  /// The same, and the upstream is asked behind the reply (RFC 5861 §3).
  case serveAndValidate(ttl: Int64)
  /// The upstream is asked first, and what is kept is validated.
  case validate
  /// The upstream is asked: nothing is kept.
  case fetch
  /// With 504: the client wants nothing that is not kept (RFC 9111 §5.2.1.7).
  case unsatisfiable

  /// The decision for a request, at a time in milliseconds since 1970. `stored` is what is kept for
  /// its target and variant.
  package init(
    _ request: FieldList, stored: StoredAnswer?, by rules: CacheRules, at now: Int64
  ) {
    let wanted = Wanted(request)
    guard let stored else {
      self = wanted.cache.has("only-if-cached") ? .unsatisfiable : .fetch
      return
    }
    let told = rules.directives(of: stored.fields).found
    let age = stored.age(at: now)
    let ttl = stored.timeToLive(by: rules, at: now)
    // What somebody else's reload has just had validated need not be again.
    let isRecent = Reuse.isRecent(stored, by: rules, at: now)
    let isForced = wanted.isNoCache && !isRecent
    let ageMax = isRecent ? nil : wanted.cache.seconds("max-age")
    if !isForced, !told.has("no-cache") {
      // Within its first second an answer is older than 0, too.
      let isYoung = ageMax.map { $0 > 0 && age <= $0 } ?? true
      if ttl > 0, isYoung, ttl >= wanted.cache.seconds("min-fresh") ?? 0 {
        self = .serve(ttl: ttl)
        return
      }
      if isYoung, Reuse.mayBeStale(told), let slack = wanted.staleSlack, slack > 0, -ttl <= slack {
        self = .serve(ttl: ttl)
        return
      }
    }
    guard !wanted.cache.has("only-if-cached") else {
      self = .unsatisfiable
      return
    }
    let isBehind = told.seconds("stale-while-revalidate").map { $0 > 0 && -ttl <= $0 } ?? false
    let isRefused =
      isForced || ageMax.map { $0 == 0 || age > $0 } ?? false || wanted.cache.has("min-fresh")
      || told.hasAny(["must-revalidate", "proxy-revalidate", "no-cache"])
    self = isBehind && !isRefused && ttl <= 0 ? .serveAndValidate(ttl: ttl) : .validate
  }

  /// Whether what is kept is to be validated whichever client asks: its time is over, it does not
  /// only fall short of what one client wants.
  ///
  /// An answer that was never fresh would have to be at each request. It is due once in
  /// `refreshSeconds`; a call in between is for the sake of the client that asks.
  package static func isDue(_ stored: StoredAnswer, by rules: CacheRules, at now: Int64) -> Bool {
    let isFresh = { (instant: Int64) in
      if case .serve = Reuse([], stored: stored, by: rules, at: instant) { true } else { false }
    }
    if isFresh(now) { return false }
    return isFresh(stored.respondedAt) || !isRecent(stored, by: rules, at: now)
  }

  private static func isRecent(
    _ stored: StoredAnswer, by rules: CacheRules, at now: Int64
  ) -> Bool {
    stored.lapse(at: now) < rules.refreshSeconds * 1_000
  }

  /// Whether what is kept may be served past its freshness at all (RFC 9111 §4.2.4).
  private static func mayBeStale(_ told: Directives) -> Bool {
    !told.hasAny(["must-revalidate", "proxy-revalidate", "s-maxage", "no-cache"])
  }

  /// Why no new answer can be had.
  package enum Trouble: Hashable, Sendable {
    /// The upstream answered 500, 502, 503 or 504.
    case error
    /// Nothing came, or no call could be made.
    case silence
  }

  /// Statuses that count as trouble (RFC 5861 §4).
  package static let errors: Set = [500, 502, 503, 504]

  /// Whether what is kept is served for want of a new answer (RFC 5861 §4, RFC 9111 §4.2.4).
  package static func servesStale(
    _ stored: StoredAnswer, to request: FieldList, in trouble: Trouble, by rules: CacheRules,
    at now: Int64
  ) -> Bool {
    let told = rules.directives(of: stored.fields).found
    let over = -stored.timeToLive(by: rules, at: now)
    // One that is fresh was to be validated for the client's sake alone.
    if over < 0, !told.has("no-cache") { return true }
    guard mayBeStale(told) else { return false }
    let named = [told, Directives(request)].compactMap { $0.seconds("stale-if-error") }.max()
    var most = named ?? 0
    if trouble == .silence { most = max(most, rules.staleSeconds) }
    return most > 0 && over <= most
  }

  /// What a request says of the answers it wants (RFC 9111 §5.2.1, §5.4).
  private struct Wanted {
    let cache: Directives
    let isNoCache: Bool

    init(_ request: FieldList) {
      cache = Directives(request)
      isNoCache =
        cache.has("no-cache")
        || (!request.has("cache-control") && request.words(of: "pragma").contains("no-cache"))
    }

    /// How many seconds past its freshness an answer may be; nil where it may not.
    var staleSlack: Int64? {
      guard cache.has("max-stale") else { return nil }
      return cache.seconds("max-stale") ?? .max
    }
  }
}
