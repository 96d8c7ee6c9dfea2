import Testing

@testable import Freshness

/// What may be kept (RFC 9111 §3), and for which requests it is (§4.1).
@Suite struct KeepingTests {
  private func mayKeep(
    _ control: String?, status: Int = 200, _ others: [(String, String)] = [],
    to request: [(String, String)] = [], by rules: CacheRules = CacheRules()
  ) -> Bool {
    let fields = (control.map { [("Cache-Control", $0)] } ?? []) + others
    return Keeping.mayKeep(answer(status, fields), to: list(request), by: rules)
  }

  @Test("RFC 9111 §3: any final status with explicit freshness, but 206 and 304")
  func keepsWhatSaysHowLong() {
    for status in 200...999 {
      let isKept = status != 206 && status != 304
      #expect(mayKeep("max-age=1", status: status) == isKept)
      #expect(mayKeep("s-maxage=1", status: status) == isKept)
      #expect(mayKeep("public", status: status) == isKept)
      #expect(mayKeep(nil, status: status, [("Expires", "0")]) == isKept)
      #expect(mayKeep(nil, status: status) == StoredAnswer.heuristic.contains(status))
    }
    #expect(!mayKeep("max-age=1", status: 103))
  }

  @Test("RFC 9111 §5.2.2: what forbids it")
  func keepsNothingThatIsForbidden() {
    #expect(!mayKeep("no-store") && !mayKeep("max-age=1, NO-STORE"))
    #expect(!mayKeep("private") && !mayKeep("private=\"set-cookie\", max-age=1"))
    #expect(mayKeep("no-cache"))
    #expect(!mayKeep("max-age=1", to: [("Cache-Control", "no-store")]))
    #expect(!mayKeep("max-age=1", [("Vary", "*")]) && !mayKeep("max-age=1", [("Vary", "a, *")]))
  }

  @Test("RFC 9111 §5.2.2.3: must-understand")
  func aKnownStatusOverrulesNoStore() {
    #expect(mayKeep("must-understand, no-store, max-age=1"))
    #expect(!mayKeep("must-understand, no-store, max-age=1", status: 299))
    #expect(!mayKeep("must-understand, max-age=1", status: 599))
    #expect(!mayKeep("must-understand, private, max-age=1"))
  }

  @Test("RFC 9111 §3.5: what a client may see is not for others")
  func credentialsKeepItOut() {
    for (control, byKey, byCookie) in [
      ("max-age=1", false, false), ("public, max-age=1", true, true), ("s-maxage=1", true, true),
      ("must-revalidate, max-age=1", true, false), ("proxy-revalidate, max-age=1", false, false),
    ] {
      #expect(mayKeep(control, to: [("Authorization", "x")]) == byKey, "\(control)")
      #expect(mayKeep(control, to: [("Cookie", "x")]) == byCookie, "\(control)")
    }
  }

  @Test func aTargetDecides() {
    var rules = CacheRules()
    rules.targets = ["cdn-cache-control"]
    #expect(mayKeep("no-store", [("CDN-Cache-Control", "max-age=1")], by: rules))
    #expect(!mayKeep("max-age=1", [("CDN-Cache-Control", "no-store")], by: rules))
    #expect(!mayKeep(nil, status: 299, [("CDN-Cache-Control", "a"), ("Expires", "0")], by: rules))
  }

  @Test func cookiesAreTakenOut() {
    var rules = CacheRules()
    let fields = list([
      ("Set-Cookie", "a"), ("X", "1"), ("Connection", "x-y, close"), ("X-Y", "1"),
      ("Transfer-Encoding", "chunked"), ("set-cookie2", "b"),
    ])
    #expect(rules.told(fields) == list([("X", "1")]))
    rules.keepsCookies = true
    #expect(rules.told(fields) == list([("Set-Cookie", "a"), ("X", "1"), ("set-cookie2", "b")]))
  }

  @Test("RFC 9111 §4.1: variants")
  func aVariantIsWhatVaryNames() {
    let vary = [("Vary", "Accept, X-A"), ("vary", "x-b")]
    let stored = answer(200, vary, to: list([("accept", "a , b"), ("X-B", "1"), ("X-C", "1")]))
    for (request, isIt) in [
      ([("Accept", "a,b"), ("X-B", "1")], true),
      ([("Accept", "a"), ("ACCEPT", "b"), ("X-B", "1")], true),
      ([("Accept", "a, b")], false), ([("Accept", "a, b"), ("X-B", "1"), ("X-A", "")], false),
      ([("Accept", "b, a"), ("X-B", "1")], false), ([], false),
    ] {
      #expect(Variants.selects(stored, list(request)) == isIt, "\(request)")
      let same = Variants.key(of: answer(200, vary, to: list(request))) == Variants.key(of: stored)
      #expect(same == isIt, "\(request)")
    }
    #expect(stored.asked == list([("accept", "a , b"), ("X-B", "1")]))
    #expect(!Variants.selects(answer(200, [("Vary", "*")]), []))
  }
}
