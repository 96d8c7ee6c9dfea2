import Testing

@testable import Freshness

/// How requests are answered from what is kept.
@Suite struct ReuseTests {
  private static let rules: CacheRules = {
    var rules = CacheRules()
    rules.refreshSeconds = 0
    return rules
  }()

  private func reuse(
    _ control: String, request: [(String, String)] = [], at seconds: Int64,
    by rules: CacheRules = Self.rules
  ) -> Reuse {
    let stored = answer(200, [("Date", date), ("Cache-Control", control)])
    return Reuse(list(request), stored: stored, by: rules, at: after(seconds))
  }

  @Test(
    "RFC 9111 §4.2, §5.2.1, §5.4",
    arguments: [
      ("max-age=10", nil, 9, .serve(ttl: 1)), ("max-age=10", nil, 10, .validate),
      ("max-age=10, no-cache", nil, 1, .validate), ("no-cache", nil, 1, .validate),
      ("max-age=10", "no-cache", 1, .validate), ("max-age=10", "max-age=0", 1, .validate),
      ("max-age=10", "max-age=0", 0, .validate), ("max-age=10", "max-stale=0", 10, .validate),
      ("max-age=0, stale-while-revalidate=5", "max-age=0", 0, .validate),
      ("max-age=10", "max-age=5", 5, .serve(ttl: 5)), ("max-age=10", "max-age=5", 6, .validate),
      ("max-age=10", "min-fresh=5", 5, .serve(ttl: 5)), ("max-age=10", "min-fresh=5", 6, .validate),
      ("max-age=10", "max-stale=5", 15, .serve(ttl: -5)),
      ("max-age=10", "max-stale=5", 16, .validate),
      ("max-age=10", "max-stale", 1_000, .serve(ttl: -990)),
      ("max-age=10, must-revalidate", "max-stale", 11, .validate),
      ("max-age=10, proxy-revalidate", "max-stale", 11, .validate),
      ("s-maxage=10", "max-stale", 11, .validate),
      ("max-age=10, no-cache", "max-stale", 1, .validate),
      ("max-age=10", "only-if-cached", 9, .serve(ttl: 1)),
      ("max-age=10", "only-if-cached", 10, .unsatisfiable),
      ("max-age=10", "only-if-cached, max-stale=9", 12, .serve(ttl: -2)),
      ("max-age=10", "max-stale=9, max-age=11", 12, .validate),
      // RFC 5861 §3
      ("max-age=10, stale-while-revalidate=5", nil, 12, .serveAndValidate(ttl: -2)),
      ("max-age=10, stale-while-revalidate=5", nil, 16, .validate),
      ("max-age=10, stale-while-revalidate=5", "no-cache", 12, .validate),
      ("max-age=10, stale-while-revalidate=5", "max-age=11", 12, .validate),
      ("max-age=10, stale-while-revalidate=5, must-revalidate", nil, 12, .validate),
      ("max-age=10, stale-while-revalidate=5, no-cache", nil, 12, .validate),
      ("max-age=10, stale-while-revalidate=0", nil, 10, .validate),
    ] as [(String, String?, Int64, Reuse)])
  func decides(_ control: String, _ asked: String?, _ seconds: Int64, _ expected: Reuse) {
    let request = asked.map { [("Cache-Control", $0)] } ?? []
    #expect(reuse(control, request: request, at: seconds) == expected)
  }

  @Test("RFC 9111 §5.4: Pragma counts where there is no Cache-Control")
  func pragma() {
    #expect(reuse("max-age=10", request: [("Pragma", "no-cache")], at: 1) == .validate)
    let both = [("Pragma", "no-cache"), ("Cache-Control", "x")]
    #expect(reuse("max-age=10", request: both, at: 1) == .serve(ttl: 9))
  }

  @Test func nothingIsKept() {
    #expect(Reuse([], stored: nil, by: Self.rules, at: 0) == .fetch)
    let only = list([("Cache-Control", "only-if-cached")])
    #expect(Reuse(only, stored: nil, by: Self.rules, at: 0) == .unsatisfiable)
  }

  @Test func aReloadIsGoodForTheNextOnes() {
    let rules = CacheRules()
    for asked in ["no-cache", "max-age=0"] {
      let request = [("Cache-Control", asked)]
      #expect(reuse("max-age=60", request: request, at: 9, by: rules) == .serve(ttl: 51))
      #expect(reuse("max-age=60", request: request, at: 10, by: rules) == .validate)
      // What is not fresh is not served for that.
      #expect(reuse("max-age=5", request: request, at: 9, by: rules) == .validate)
    }
  }

  @Test(
    "RFC 5861 §4, RFC 9111 §4.2.4",
    arguments: [
      ("max-age=10", "no-cache", 9, true, true), ("s-maxage=10", "no-cache", 9, true, true),
      ("max-age=10, no-cache", "no-cache", 9, false, false), ("max-age=10", nil, 10, false, true),
      ("max-age=0", nil, 0, false, true),
      ("max-age=10, stale-if-error=0", nil, 10, false, true),
      ("max-age=10", nil, 11, false, true), ("max-age=10", nil, 10 + 86_401, false, false),
      ("max-age=10, stale-if-error=5", nil, 15, true, true),
      ("max-age=10, stale-if-error=5", nil, 16, false, true),
      ("max-age=10", "stale-if-error=5", 15, true, true),
      ("max-age=10, must-revalidate, stale-if-error=5", nil, 11, false, false),
      ("max-age=10, proxy-revalidate, stale-if-error=5", nil, 11, false, false),
      ("s-maxage=10, stale-if-error=5", nil, 11, false, false),
      ("no-cache, stale-if-error=5", nil, 1, false, false),
    ] as [(String, String?, Int64, Bool, Bool)])
  func servesWhileThereIsTrouble(
    _ control: String, _ asked: String?, _ seconds: Int64, _ afterError: Bool, _ inSilence: Bool
  ) {
    let stored = answer(200, [("Date", date), ("Cache-Control", control)])
    let request = list(asked.map { [("Cache-Control", $0)] } ?? [])
    for (trouble, expected) in [(Reuse.Trouble.error, afterError), (.silence, inSilence)] {
      let serves = Reuse.servesStale(
        stored, to: request, in: trouble, by: Self.rules, at: after(seconds))
      #expect(serves == expected, "\(trouble)")
    }
  }
}
