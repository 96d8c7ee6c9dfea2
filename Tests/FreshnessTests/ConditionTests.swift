import Testing

@testable import Freshness

/// Conditional requests and ranges (RFC 9110 §13, §14).
@Suite struct ConditionTests {
  @Test(
    "RFC 9110 §13.1.2, §13.1.3, §13.2.2",
    arguments: [
      ([("If-None-Match", "\"a\"")], true), ([("If-None-Match", "W/\"a\"")], true),
      ([("If-None-Match", "\"b\"")], false), ([("If-None-Match", "\"b\", \"a\"")], true),
      ([("If-None-Match", "\"b\""), ("If-None-Match", "\"a\"")], true),
      ([("If-None-Match", "*")], true), ([("If-None-Match", "a")], false),
      ([("If-None-Match", "\"x,\\\"a\"")], false),
      ([("If-Modified-Since", date)], true),
      ([("If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT")], false),
      ([("If-Modified-Since", "x")], false),
      ([("If-None-Match", "\"b\""), ("If-Modified-Since", date)], false), ([], false),
    ] as [([(String, String)], Bool)])
  func isUnchanged(_ request: [(String, String)], _ expected: Bool) {
    let stored = answer(200, [("ETag", "\"a\""), ("Last-Modified", date)])
    #expect(Preconditions.isUnchanged(stored, for: list(request)) == expected)
    let weak = answer(200, [("ETag", "W/\"a\""), ("Last-Modified", date)])
    #expect(Preconditions.isUnchanged(weak, for: list(request)) == expected)
  }

  @Test("RFC 9110 §13.2.1: of no answer but one of success", arguments: [301, 404, 410, 500])
  func isNoMatterOfOthers(status: Int) {
    let stored = answer(status, [("ETag", "\"a\""), ("Last-Modified", date)])
    for condition in [("If-None-Match", "\"a\""), ("If-Modified-Since", date)] {
      #expect(!Preconditions.isUnchanged(stored, for: list([condition])))
    }
  }

  @Test("RFC 9111 §4.3.1: each validator that is there")
  func validates() {
    let both = answer(200, [("ETag", "\"a\""), ("Last-Modified", date)])
    #expect(
      Preconditions.validators(of: both) == [
        FieldLine("If-None-Match", "\"a\""), FieldLine("If-Modified-Since", date),
      ])
    #expect(Preconditions.validators(of: answer(200, [("Last-Modified", "x")])).isEmpty)
  }

  @Test(
    "RFC 9110 §14.1.2",
    arguments: [
      ("bytes=0-4", .part(0...4)), ("bytes=5-", .part(5...9)), ("bytes=-3", .part(7...9)),
      ("bytes=0-99", .part(0...9)), ("bytes=-99", .part(0...9)), ("bytes=9-9", .part(9...9)),
      ("Bytes=0-0", .part(0...0)), ("bytes= 0-4", .part(0...4)), ("bytes=10-", .none),
      ("bytes=-0", .none), ("bytes=99-100", .none), ("bytes=4-0", .all), ("bytes=-", .all),
      ("bytes=0-4,6-7", .all), ("bytes=a-4", .all), ("bytes=0-b", .all), ("items=0-4", .all),
      ("bytes", .all), ("", .all), ("bytes=0--1", .all),
      ("bytes=99999999999999999999-", .none), ("bytes=0-99999999999999999999", .part(0...9)),
    ] as [(String, ByteRange.Wanted)])
  func cuts(_ text: String, _ expected: ByteRange.Wanted) {
    let request = list([("Range", text)])
    #expect(ByteRange.wanted(of: answer(200, []), size: 10, for: request) == expected)
    #expect(ByteRange.wanted(of: answer(203, []), size: 10, for: request) == .all)
  }

  @Test func nothingHasNoPart() {
    for text in ["bytes=0-", "bytes=-1"] {
      let request = list([("Range", text)])
      #expect(ByteRange.wanted(of: answer(200, []), size: 0, for: request) == .none)
    }
  }

  @Test("RFC 9110 §13.1.5: If-Range, compared strongly")
  func cutsOnlyWhatIsTheSame() {
    let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:40:37 GMT")
    for (fields, named, isCut) in [
      ([("ETag", "\"a\"")], "\"a\"", true), ([("ETag", "\"a\"")], "\"b\"", false),
      ([("ETag", "W/\"a\"")], "W/\"a\"", false), ([modified], modified.1, true),
      ([("Last-Modified", date)], date, false), ([modified], date, false),
      ([], "\"a\"", false),
    ] {
      let request = list([("Range", "bytes=0-4"), ("If-Range", named)])
      let wanted = ByteRange.wanted(of: answer(200, fields), size: 10, for: request)
      #expect(wanted == (isCut ? .part(0...4) : .all), "\(fields) \(named)")
    }
  }
}
