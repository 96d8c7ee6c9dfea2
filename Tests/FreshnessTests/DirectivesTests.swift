import Testing

@testable import Freshness

/// `Cache-Control` and what stands in its place.
@Suite struct DirectivesTests {
  @Test(
    "RFC 9111 §5.2: argument of max-age",
    arguments: [
      ("max-age=60", 60), ("Max-Age=60", 60), (" , max-age=60 , ", 60), ("max-age=\"60\"", 60),
      ("a, max-age=60", 60), ("a=b;c, max-age=60", 60), ("max-age=060", 60),
      // The first of a name counts.
      ("max-age=60, max-age=1", 60), ("max-age=1, max-age=60", 1),
      // §1.2.2: what is more than 2^31 is 2^31.
      ("max-age=99999999999999999999", 1 << 31), ("max-age=2147483648", 1 << 31),
      // What stands in a quoted string is no directive.
      ("x=\"max-age=1\", max-age=60", 60), ("x=\"a, max-age=1\", max-age=60", 60),
      ("\"max-age=1\", max-age=60", 60), ("x=\"a\\\", max-age=1\", max-age=60", 60),
    ] as [(String, Int64)])
  func readsSeconds(_ text: String, _ seconds: Int64) {
    let told = Directives([FieldLine("Cache-Control", text)])
    #expect(told.seconds("max-age") == seconds)
  }

  @Test(
    "RFC 9111 §4.2.1: there, and no number",
    arguments: [
      "max-age", "max-age=", "max-age=-1", "max-age='60'", "max-age=60.0", "max-age=6 0x",
      "max-age =60", "max-age= 60", "max-age=a", "max-age=60a", "max-age=\"60", "max-age=, public",
    ])
  func isThereWithoutSeconds(_ text: String) {
    let told = Directives([FieldLine("cache-control", text)])
    #expect(told.has("max-age"))
    // What follows a blank is passed over, as a parameter would be.
    #expect(told.seconds("max-age") == (text == "max-age=6 0x" ? 6 : nil))
  }

  @Test("RFC 9110 §5.3: lines of a name are one list")
  func readsLinesAsOne() {
    let told = Directives([
      FieldLine("Cache-Control", "no-store"), FieldLine("X", "private"),
      FieldLine("cache-control", "max-age=5"),
    ])
    #expect(told.has("no-store") && !told.has("private"))
    #expect(told.seconds("max-age") == 5)
    #expect(Directives([]) == Directives(cacheControl: []))
  }

  @Test(
    "RFC 9213 §2.1: counts",
    arguments: [
      ("max-age=60", 60), ("max-age=60;a;b=\"x, y\"", 60), ("a=(1 2 \"x\");p, max-age=60", 60),
      ("max-age=1, max-age=60", 60), ("b=:YQ==:, c=?0, d=*tok/en, e=1.5,\tmax-age=60", 60),
      ("max-age=-1", nil), ("public", nil),
    ] as [(String, Int64?)])
  func takesDictionaries(_ text: String, _ seconds: Int64?) throws {
    let told = try #require(TargetedDirectives.read(Array(text.utf8)))
    #expect(told.seconds("max-age") == seconds)
  }

  @Test(
    "RFC 9213 §2.1: as if it were not there",
    arguments: [
      "", " ", ",", "max-age=60,", "max-age=60,,a", "Max-Age=60", "max-age=\"60\"", "max-age=a",
      "max-age", "max-age=60.5", "max-age=", "max-age=60 a", "a=\"x", "a=(1", "a=(1\"x\")",
      "a=1234567890123456", "a=1.2345", "a=1.", "a=-", "a=?2", "a=:x", "a=@", "max-age=60;",
      "max-age=60;A", "a=\"\u{7}\"", "s-maxage=?1",
    ])
  func ignoresWhatIsNoDictionary(_ text: String) {
    #expect(TargetedDirectives.read(Array(text.utf8)) == nil)
  }

  @Test func aMemberSwitchedOffIsNotThere() throws {
    let told = try #require(TargetedDirectives.read(Array("no-store=?0, private=?1".utf8)))
    #expect(!told.has("no-store") && told.has("private"))
  }
}
