import Testing

@testable import Freshness

/// Which answers name one media type that every browser reads the same.
@Suite struct MediaTypeTests {
  @Test(arguments: [
    ("application/json", "application/json"), ("TEXT/Plain", "text/plain"),
    ("text/plain; charset=utf-8", "text/plain"), ("text/plain;charset=utf-8", "text/plain"),
    ("text/plain\t;\tcharset=utf-8", "text/plain"), ("text/plain; a=\"b; c\"; d=e", "text/plain"),
    ("text/plain; a=\"\\\"\"", "text/plain"), ("text/plain;", "text/plain"),
    ("text/plain; ; a=b", "text/plain"), ("application/ld+json", "application/ld+json"),
  ])
  func oneTypeIsThatType(_ value: String, _ type: String) {
    #expect(MediaType.sole(of: list([("Content-Type", value)])) == type)
  }

  @Test(arguments: [
    "application/json, text/html", "text/html, application/json", "application/json,text/html",
    "application/json\t,\ttext/html", "application/json,", ",application/json",
    "application/json, ", ", , application/json", "application/json; a=b, text/html",
    "application/json; a=\"b, text/html\"", "application/json; a=\"b\", text/html",
    "application/json; a=\"b, text/html", "application/json; b='; a=\"', text/html; x=\"",
    "application/json; a=\"\\\", text/html", "text/plain, image/svg+xml",
  ])
  func aCommaMayBeASecondType(_ value: String) {
    #expect(MediaType.sole(of: list([("Content-Type", value)])) == nil)
  }

  @Test(arguments: [
    "", "json", "/json", "application/", "application/ json", "application /json",
    "application/json text/html", "application/json; text/html", "application/json;a",
    "application/json; a=", "application/json; a=b c", "application/json; a=\"b",
    "application/json; a =b", "application/json; a= b", "application/json/x",
    "application/json(x)", "\"application/json\"", "application/json; a=\"b\"c", "*/*;q",
    "application/json;=b", "applicatioñ/json",
  ])
  func whatBreaksTheGrammarIsNone(_ value: String) {
    #expect(MediaType.sole(of: list([("Content-Type", value)])) == nil)
  }

  @Test(
    arguments: [
      [], [("Content-Type", "application/json"), ("Content-Type", "text/html")],
      [("Content-Type", "application/json"), ("content-type", "text/html")],
      [("CONTENT-TYPE", "text/html"), ("Content-Type", "application/json")],
      [("Content-Type", "application/json"), ("Content-Type", "")],
      [("Content-Type", "application/json"), ("Content-Type", "application/json")],
    ] as [[(String, String)]])
  func noneOrSeveralLinesAreNone(_ fields: [(String, String)]) {
    #expect(MediaType.sole(of: list(fields)) == nil)
  }
}
