import Testing

@testable import Upstream

/// The words by which APIs say that there is nothing.
struct NothingMoreTests {
  @Test(arguments: [
    "", "0", "-1", "false", "FALSE", "null", "None", " nil ", "undefined", "[]", "{}", "#",
  ])
  func isNoToken(text: String) {
    #expect(NoWords.isNone(text) && NoWords.isNo(text))
  }

  @Test(arguments: [
    "1", "10", "a", "no", "eyJvIjowfQ==", "nullable", "00", "-2", "n", "true", "falsee", "?", "/",
  ])
  func mayBeAToken(text: String) {
    #expect(!NoWords.isNone(text))
  }

  @Test(arguments: [("no", true), ("N", true), ("off", true), ("yes", false), ("12", false)])
  func aFlagSaysNo(text: String, isNo: Bool) {
    #expect(NoWords.isNo(text) == isNo)
  }

  @Test(
    arguments: [
      ("0-24/573", 573), ("items 0-24/573", 573), ("*/0", 0), ("items */7", 7), ("0-24/*", nil),
      ("bytes 0-24/573", nil), ("0-24", nil), ("0-24/573/1", nil), ("0-24/-1", nil),
      ("0-24/9999999999999", nil), ("", nil),
    ] as [(String, Int?)])
  func aRangeTellsATotal(text: String, total: Int?) {
    #expect(AnswerReader.total(ofRange: text) == total)
  }
}
