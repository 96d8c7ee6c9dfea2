import Testing

/// The rules asked of small snippets: what they must find, and what they must leave alone.
struct RulesTests {
  /// A text, and the lines of it that break the rule.
  struct Sample: CustomTestStringConvertible {
    let text: String
    let lines: [Int]
    var path = "Sources/Feed/Sample.swift"

    var file: SourceFile { SourceFile(path: path, text: text) }
    var testDescription: String { "\(path) \(lines): \(text.prefix(60).debugDescription)" }
  }

  @Test(arguments: [
    Sample(text: blank(400), lines: []),
    Sample(text: blank(401), lines: [401]),
  ])
  func findsLongFiles(sample: Sample) {
    #expect(Rules.fileLength(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: String(repeating: "x", count: 100), lines: []),
    Sample(text: "\n" + String(repeating: "x", count: 101), lines: [2]),
    // Columns are characters, not bytes.
    Sample(text: String(repeating: "次", count: 100), lines: []),
    Sample(text: String(repeating: "次", count: 101), lines: [1]),
    Sample(text: String(repeating: "x", count: 101), lines: [1], path: ".ci/run"),
  ])
  func findsLongLines(sample: Sample) {
    #expect(Rules.lineLength(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "func f() {\n" + blank(68) + "}", lines: []),
    Sample(text: "\nfunc f() {\n" + blank(69) + "}", lines: [2]),
    Sample(text: "init(a: () -> Void = {}) {\n" + blank(69) + "}", lines: [1]),
    Sample(text: "var a: [Int] {\n" + blank(69) + "}", lines: [1]),
    Sample(text: "func f()\n  where A: B\n{\n" + blank(67) + "}", lines: [1]),
    // A stored property, a call and a requirement have no body; what follows is not theirs.
    Sample(text: "var a = 1\nfor b in c {\n" + blank(69) + "}", lines: []),
    Sample(text: "var a: Int\nfor b in c {\n" + blank(69) + "}", lines: []),
    Sample(text: "let a = B.init(1)\nfor b in c {\n" + blank(69) + "}", lines: []),
    Sample(text: "protocol P { func f() }\nfor b in c {\n" + blank(69) + "}", lines: []),
    // Braces in strings and comments count for nothing.
    Sample(
      text: "func f() {\n\"}\"; #\"}\"\"#; /* } /* } */ } */ // }\n" + blank(68) + "}", lines: [1]),
    Sample(text: "func f() {\n\"\"\"\n}\" }\n\"\"\"\n\n" + blank(65) + "}", lines: [1]),
    Sample(text: "func f() {\n\"\\(a(\"}\") { 1 }) }\"\n" + blank(68) + "}", lines: [1]),
  ])
  func findsLongFunctions(sample: Sample) {
    #expect(Rules.functionLength(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "do { try f() } catch {}", lines: [1]),
    Sample(text: "do {\n  try f()\n} catch let error as E {\n  // So what.\n}", lines: [3]),
    Sample(text: "do { try f() } catch { log(error) }", lines: []),
    Sample(text: "// do { try f() } catch {}", lines: []),
  ])
  func findsEmptyCatches(sample: Sample) {
    #expect(Rules.emptyCatch(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "let a = 1\n// TODO: later", lines: [2]),
    Sample(text: "let a = 1 /* FIXME */", lines: [1]),
    Sample(text: "// TODO(#12): later\n// FIXME #3", lines: []),
    Sample(text: "let a = \"TODO\"  // the TODOs of others", lines: []),
  ])
  func findsOpenWorkWithoutAnIssue(sample: Sample) {
    #expect(Rules.openWork(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "\n@inlinable\npackage mutating func f() {}", lines: [2]),
    Sample(text: "@inlinable package var a: Int { 1 }", lines: [1]),
    Sample(text: "@inlinable\npublic func f() {}\npackage func g() {}", lines: []),
    Sample(text: "@inlinable\nfunc f() {}\npackage func g() {}", lines: []),
  ])
  func findsWhatIsInlinableInVain(sample: Sample) {
    #expect(Rules.inlining(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "final class A: @unchecked Sendable {}", lines: [1]),
    Sample(text: "let a = 1\n/// An A.\nnonisolated(unsafe) var b = 1", lines: [3]),
    Sample(text: "// Not Safe because\nnonisolated(unsafe) var b = 1", lines: [2]),
    Sample(text: "// Safe because c.\n\nnonisolated(unsafe) var b = 1", lines: [3]),
    Sample(text: "// Safe because c.\nnonisolated(unsafe) var b = 1", lines: []),
    Sample(text: "nonisolated(unsafe) var b = 1  // Safe because c.", lines: []),
    Sample(
      text: "/// An A.\n///\n/// Safe because b\n/// is.\n@c\nclass A: @unchecked Sendable {}",
      lines: []),
    Sample(text: "nonisolated var b = 1  // @unchecked", lines: []),
  ])
  func findsUnsafeClaimsWithoutAReason(sample: Sample) {
    #expect(Rules.unsafeClaims(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "", lines: [1], path: "Sources/Feed/ByteUtils.swift"),
    Sample(text: "", lines: [1], path: "Sources/Feed/Array+Helpers.swift"),
    Sample(text: "", lines: [1], path: "Sources/Feed/Common.swift"),
    Sample(text: "", lines: [1], path: "Tests/FeedTests/CursorManager.swift"),
    Sample(text: "", lines: [], path: "Sources/Feed/Cursor.swift"),
  ])
  func findsVagueFileNames(sample: Sample) {
    #expect(Rules.fileName(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "let store = SteadyStore()\nlet a = 1", lines: [1]),
    Sample(text: "/// Done beside the loop.\n/// Given up.\nlet a = 1", lines: [1, 2]),
    Sample(text: "func giveUp() {}", lines: [], path: "Sources/TsugiClient/Lane.swift"),
    Sample(text: "let footnote = 1  // The foot of a page.", lines: []),
  ])
  func findsWordsThatWereGivenUp(sample: Sample) {
    #expect(Words.offences(sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "let a = 100\n// 100\nlet b = 1_000", lines: [1], path: "Sources/Feed/A.swift"),
    Sample(text: "let a = 10_000\nlet b = \"60\"", lines: [1], path: "Sources/Engine/A.swift"),
    Sample(
      text: "/// Qiita\nlet a = \"items\"\ncase items", lines: [2, 3],
      path: "Sources/Feed/A.swift"),
    Sample(text: "let a = 100\nlet b = \"items\"", lines: [], path: "Sources/Upstream/A.swift"),
  ])
  func findsWhatTheDomainKnowsOfOneUpstream(sample: Sample) {
    #expect(Upstreams.offences(sample.file).map(\.line) == sample.lines)
  }

  @Test func findsStrangersAtTheTopLevel() {
    let names: Set = ["Sources", "README.md", ".ci", "notes.txt", "Package.resolved"]
    #expect(Rules.topLevel(names).map(\.path) == ["Package.resolved", "notes.txt"])
  }

  @Test(arguments: [
    Sample(text: "package func f() {}", lines: [1]),
    Sample(text: "public struct A {\n  public let b: Int\n}", lines: [1, 2]),
    Sample(text: "// Not for readers.\npackage init(a: Int) {}", lines: [2]),
    Sample(text: "/// Of another.\n\npackage static let a = 1", lines: [3]),
    Sample(text: "nonisolated package private(set) var a = 1", lines: [1]),
    Sample(
      text: "/// An A.\npackage protocol A {\n  func b()\n  /// C.\n  var c: Int { get }\n}",
      lines: [3]),
    Sample(text: "/// An A.\n@inlinable\n@b(c)\npackage func a() {}", lines: []),
    Sample(text: "/// An A.\npackage protocol A {\n  /// B.\n  func b()\n}", lines: []),
    Sample(text: "func f() {}\nprivate var a = 1\nlet package = Package(name: b)", lines: []),
    Sample(text: "package import Feed\npackage extension A {}\n// package func f()", lines: []),
    Sample(text: "package static func < (a: A, b: A) -> Bool { true }", lines: []),
    Sample(text: "package func hash(into hasher: inout Hasher) {}", lines: []),
    Sample(text: "package init(from decoder: any Decoder) {}", lines: []),
    // Documented where it is required, if the file names the protocol.
    Sample(text: "extension A: Port {\n  package func fetch() {}\n}", lines: []),
    Sample(text: "extension A {\n  package func fetch() {}\n}", lines: [2]),
  ])
  func findsWhatHasNoDocumentation(sample: Sample) {
    let port = SourceFile(
      path: "Sources/Feed/Port.swift", text: "/// A port.\nprotocol Port {\n  func fetch()\n}")
    let rule = Documentation([port, sample.file])
    #expect(rule.undocumented(in: sample.file).map(\.line) == sample.lines)
  }

  @Test(arguments: [
    Sample(text: "import Bytes\nimport Synchronization", lines: [2]),
    Sample(text: "import CSQLite", lines: [1]),
    Sample(text: "@preconcurrency private import struct Foundation.Date", lines: [1]),
    Sample(text: "// import Foundation\nlet a = \"import Foundation\"", lines: []),
    Sample(text: "package import Feed", lines: [], path: "Sources/SQLiteStore/Sample.swift"),
    Sample(text: "import Upstream", lines: [1], path: "Sources/SQLiteStore/Sample.swift"),
    Sample(text: "import Feed", lines: [1], path: "Sources/Stranger/Sample.swift"),
    Sample(text: "import Foundation", lines: [], path: "Sources/tsugi/Sample.swift"),
    Sample(text: "import Foundation", lines: [], path: "Tests/FeedTests/Sample.swift"),
  ])
  func findsImportsAgainstTheArrows(sample: Sample) {
    #expect(Arrows.forbiddenImports(sample.file).map(\.line) == sample.lines)
  }

  private static func blank(_ lines: Int) -> String { String(repeating: "\n", count: lines) }
}
