import Foundation
import Support
import Testing

/// The house rules, asked of every file of the package. Each offender is an issue of its own, at
/// its file and line. That the rules bite is shown in ``RulesTests``.
struct StyleTests {
  @Test func findsTheTree() {
    #expect(Repository.swiftFiles.contains { $0.path == "Package.swift" })
    #expect(Repository.sources.contains { $0.path == "Sources/CSQLite/shim.h" })
    #expect(Repository.scripts.contains { $0.path == ".ci/run" })
  }

  @Test func filesAreShort() {
    report(Repository.swiftFiles.flatMap(Rules.fileLength))
  }

  @Test func linesAreShort() {
    report((Repository.sources + Repository.scripts).flatMap(Rules.lineLength))
  }

  @Test func functionsAreShort() {
    report(Repository.swiftFiles.flatMap(Rules.functionLength))
  }

  @Test func noErrorIsDroppedInSilence() {
    report(Repository.swiftFiles.flatMap(Rules.emptyCatch))
  }

  @Test func openWorkNamesItsIssue() {
    report(Repository.swiftFiles.flatMap(Rules.openWork))
  }

  @Test func whatIsInlinableIsInlined() {
    report(Repository.swiftFiles.flatMap(Rules.inlining))
  }

  @Test func unsafeClaimsSayWhyTheyAreSafe() {
    report(Repository.swiftFiles.flatMap(Rules.unsafeClaims))
  }

  @Test func filesAreNamedForTheirSubject() {
    report(Repository.sources.flatMap(Rules.fileName))
  }

  @Test func whateverOthersSeeIsDocumented() {
    let rule = Documentation(Repository.swiftFiles)
    report(Repository.swiftFiles.flatMap(rule.undocumented))
  }

  @Test func theDomainKnowsNoUpstreamByNameOrNumber() {
    report(Repository.swiftFiles.flatMap(Upstreams.offences))
  }

  @Test func importsFollowTheArrows() {
    report(Repository.swiftFiles.flatMap(Arrows.forbiddenImports))
  }

  @Test func theCoreImportsNoExtra() {
    #expect(Arrows.extrasOfTheCore() == [])
    #expect(Arrows.extrasOfTheCore(["Proxy": ["Feed", "RawCache"], "RawCache": []]) != [])
  }

  @Test func postgreSQLIsBehindItsTrait() {
    report(Repository.swiftFiles.flatMap(Arrows.importsWithoutTrait))
    let bare = SourceFile(path: "Sources/Assembly/Sample.swift", text: "import Sharing")
    #expect(Arrows.importsWithoutTrait(bare).map(\.line) == [1])
  }

  @Test func eachThingHasTheFieldsWord() {
    report(Repository.swiftFiles.flatMap(Words.offences))
    report(Repository.pages.flatMap { Words.offences(path: $0.path, text: $0.text) })
  }

  @Test func saysWhatItSaysInPlainWords() {
    report(Repository.swiftFiles.flatMap(PlainWords.offences))
    let sample = SourceFile(
      path: "Sources/Proxy/Sample.swift",
      text: "let told = \"a client is told\"\n// no client is\nlet plain = \"a reply\"")
    #expect(PlainWords.offences(sample).map(\.line) == [1])
    let comment = SourceFile(path: "Sources/RawCache/Sample.swift", text: "// Nobody waits.")
    #expect(PlainWords.offences(comment).map(\.line) == [1])
  }

  @Test func noFileSeesTwoTypesOfOneName() {
    report(TypeNames.offences(Repository.swiftFiles))
    let files = [
      SourceFile(path: "Sources/A/X.swift", text: "package struct X {}"),
      SourceFile(path: "Sources/B/X.swift", text: "import A\nstruct X {}"),
      SourceFile(path: "Sources/C/Y.swift", text: "import A\nimport B\nprivate struct X {}"),
    ]
    #expect(TypeNames.offences(files).map(\.path) == ["Sources/B"])
  }

  @Test func roomsUseEachOtherInOneDirection() {
    report(Rooms.offences(Repository.swiftFiles))
  }

  @Test func foldersAreNotCrowded() {
    report(Rooms.crowded(Repository.swiftFiles))
  }

  @Test(.enabled(if: Repository.trackedTopLevel != nil, "git or its record is missing"))
  func topLevelHoldsOnlyWhatBelongs() throws {
    report(Rules.topLevel(try #require(Repository.trackedTopLevel)))
  }

  private func report(_ offences: [Offence]) {
    for offence in offences {
      let place = SourceLocation(
        fileID: "Tsugi/\(offence.path)",
        filePath: Checkout.root.appending(path: offence.path).path,
        line: offence.line, column: 1)
      Issue.record("\(offence)", sourceLocation: place)
    }
  }
}
