import Testing

@testable import Freshness

/// How old an answer is, how long it is fresh, and what a 304 makes of it.
@Suite struct StoredAnswerTests {
  @Test(
    "RFC 9111 §5.1: Age as it comes",
    arguments: [
      ("10", 10), ("010", 10), ("10, 20", 10), ("", 0), ("-1", 0), ("1.5", 0), ("a", 0),
      ("abc, 10", 0), ("99999999999", 1 << 31), ("+5", 0), ("5;x", 0),
    ] as [(String, Int64)])
  func readsAge(_ text: String, _ seconds: Int64) {
    #expect(answer(200, [("Date", date), ("Age", text)]).age(at: after(0)) == seconds)
  }

  @Test("RFC 9111 §4.2.3: age")
  func growsOlder() {
    // An old date makes it older than its Age, time on the way is part of it, time here adds up.
    #expect(answer(200, [("Date", date)], respondedAt: 7).age(at: after(7)) == 7)
    #expect(
      answer(200, [("Date", date), ("Age", "3")], askedAt: 5, respondedAt: 7).age(at: after(7)) == 7
    )
    #expect(
      answer(200, [("Date", date), ("Age", "9")], askedAt: 5, respondedAt: 7).age(at: after(8))
        == 12)
    #expect(answer(200, [], askedAt: 0, respondedAt: 2).age(at: after(5)) == 5)
    // A date to come, or a clock set back, makes nothing younger than 0.
    #expect(answer(200, [("Date", date)], askedAt: -50, respondedAt: -50).age(at: after(-50)) == 0)
    #expect(answer(200, [("Date", date)]).age(at: after(-60)) == 0)
    // Set back by more than a minute: when it came is not known.
    #expect(answer(200, [("Date", date)]).age(at: after(-61)) == 61)
    #expect(answer(200, [("Date", date)], askedAt: 9, respondedAt: 3).age(at: after(3)) == 3)
    #expect(answer(200, [("Date", "x")], respondedAt: 7).age(at: after(7)) == 7)
  }

  @Test(
    "RFC 9111 §4.2.1: lifetime",
    arguments: [
      ([("Cache-Control", "s-maxage=5, max-age=9")], 5), ([("Cache-Control", "max-age=9")], 9),
      ([("Cache-Control", "s-maxage=a, max-age=9")], 0),
      ([("Cache-Control", "max-age=9"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 9),
      ([("Cache-Control", "max-age=x"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 0),
      ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60),
      ([("Expires", "Sun, 06 Nov 1994 08:40:37 GMT")], 0), ([("Expires", "0")], 0),
      // §5.3: exactly one, in the present form.
      ([("Expires", "Sunday, 06-Nov-94 08:50:37 GMT")], 0),
      (
        [
          ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"),
          ("Expires", "Sun, 06 Nov 1994 08:51:37 GMT"),
        ], 0
      ),
      // §4.2.2: a tenth of what it lay unchanged, a day at most; nothing without a validator.
      ([("Last-Modified", "Sun, 06 Nov 1994 08:39:37 GMT")], 60),
      ([("Last-Modified", "Sun Nov  6 08:39:37 1994")], 60),
      ([("Last-Modified", "Sun, 06 Nov 1984 08:39:37 GMT")], 86_400),
      ([("Last-Modified", "Sun, 06 Nov 1995 08:39:37 GMT")], 0), ([], 0),
      ([("Expires", "0"), ("Last-Modified", "Sun, 06 Nov 1994 08:39:37 GMT")], 0),
    ] as [([(String, String)], Int64)])
  func isFreshFor(_ fields: [(String, String)], _ seconds: Int64) {
    #expect(answer(200, fields + [("Date", date)]).lifetime(by: CacheRules()) == seconds)
  }

  @Test("RFC 9111 §4.2.2: only where the status allows it, or public")
  func aRuleOfThumbIsForSomeStatuses() {
    let fields = [("Date", date), ("Last-Modified", "Sun, 06 Nov 1994 08:39:37 GMT")]
    for status in 200...599 {
      let isIn = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
      #expect(answer(status, fields).lifetime(by: CacheRules()) == (isIn ? 60 : 0))
      let isPublic = fields + [("Cache-Control", "public")]
      #expect(answer(status, isPublic).lifetime(by: CacheRules()) == 60)
    }
  }

  @Test("RFC 9213 §2.2: a target stands in the place of Cache-Control and Expires")
  func aTargetReplacesBoth() {
    var rules = CacheRules()
    rules.targets = ["tsugi-cache-control", "cdn-cache-control"]
    let both = [
      ("Date", date), ("Cache-Control", "max-age=1"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"),
    ]
    #expect(answer(200, both + [("CDN-Cache-Control", "max-age=7")]).lifetime(by: rules) == 7)
    #expect(answer(200, both + [("CDN-Cache-Control", "public")]).lifetime(by: rules) == 0)
    #expect(answer(200, both + [("CDN-Cache-Control", "max-age=\"7\"")]).lifetime(by: rules) == 1)
    let two = both + [("CDN-Cache-Control", "max-age=7"), ("Tsugi-Cache-Control", "max-age=8")]
    #expect(answer(200, two).lifetime(by: rules) == 8)
    #expect(answer(200, two).lifetime(by: CacheRules()) == 1)
  }

  @Test func anOperatorMayOverrule() {
    var rules = CacheRules()
    let qiita = answer(200, [("Cache-Control", "max-age=0, private, must-revalidate")])
    #expect(!Keeping.mayKeep(qiita, to: [], by: rules))
    rules.ignores = [.isPrivate]
    #expect(Keeping.mayKeep(qiita, to: [], by: rules) && qiita.lifetime(by: rules) == 0)
    rules.freshSeconds = 30
    #expect(qiita.lifetime(by: rules) == 30)
    // What says nothing that is overruled is as it says.
    #expect(answer(200, [("Cache-Control", "max-age=9")]).lifetime(by: rules) == 9)
  }

  @Test("RFC 9111 §3.2: a 304 replaces what is no part of the content")
  func isValidated() {
    let stored = answer(
      200,
      [
        ("ETag", "\"a\""), ("Content-Type", "text/a"), ("X-A", "1"), ("X-B", "1"), ("X-B", "2"),
        ("Age", "5"), ("Content-Encoding", "x"), ("Vary", "Accept"),
      ], to: list([("Accept", "a")]), respondedAt: 1)
    let new = answer(
      304,
      [
        ("x-b", "3"), ("Content-Type", "text/b"), ("Content-Length", "0"), ("X-C", "1"),
        ("Content-MD5", "q"), ("Content-Range", "r"), ("Content-Encoding", "y"),
      ], askedAt: 8, respondedAt: 9)
    let merged = stored.validated(by: new)
    #expect(merged.status == 200 && merged.askedAt == after(8) && merged.respondedAt == after(9))
    #expect(
      merged.fields
        == list([
          ("ETag", "\"a\""), ("Content-Type", "text/a"), ("X-A", "1"), ("Content-Encoding", "x"),
          ("Vary", "Accept"), ("x-b", "3"), ("X-C", "1"),
        ]))
    #expect(Variants.selects(merged, list([("Accept", "a")])))
  }

  @Test("RFC 9111 §4: one Age, as it is now")
  func tellsItsAge() {
    let fields = answer(200, [("Date", date), ("Age", "2"), ("AGE", "4")]).fields(at: after(3))
    #expect(fields.values(of: "age").map { String(decoding: $0, as: UTF8.self) } == ["5"])
  }
}
