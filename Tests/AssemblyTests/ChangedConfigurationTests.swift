import Foundation
import HTTP
import JSONBytes
import Logging
import SQLiteStore
import Settings
import Support
import Testing

@testable import Assembly

/// A server that is started again with another value of a key serves as one whose store is empty.
@Suite struct ChangedConfigurationTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-changed-\(UUID().uuidString)").path

  /// A change of a source of a kind, or of its kind.
  private struct Case {
    var change: KeyChange
    var before: String
    var after: String
  }

  /// Every key of every kind, and every kind in the place of another.
  private static let cases: [Case] = {
    let kinds = [
      (KeyChange.http, KeyChange.recipes + KeyChange.raws), (KeyChange.qiita, KeyChange.qiitas),
      (KeyChange.file, KeyChange.files),
    ]
    var cases = kinds.flatMap { kind, changes in
      changes.map { Case(change: $0, before: kind, after: kind) }
    }
    for (before, _) in kinds {
      for (after, _) in kinds where before != after {
        cases.append(
          Case(change: KeyChange("kind", "{}", "{}"), before: before, after: after))
      }
    }
    return cases
  }()

  @Test func everyKeyOfASourceHasItsChange() {
    let sourceKeys = Configuration.keys.filter { $0.hasPrefix("sources.<name>.") }
      .map { String($0.dropFirst("sources.<name>.".count)) }
    #expect(
      Set(sourceKeys).isSubset(
        of: Set((KeyChange.qiitas + KeyChange.files).map(\.key) + ["kind"])))
    #expect(Set(KeyChange.recipes.map(\.key)) == Set(Configuration.recipeKeys))
    #expect(
      Set(KeyChange.raws.map { "raw.\($0.key)" }) == Set(Configuration.rawKeys))
  }

  @Test func aStoreOfItsOwnServesAsItIsConfiguredNow() async throws {
    try await expectServedAsNew(with: "first", then: "first", sharing: nil)
  }

  @Test(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
  func anOldCopyServesAsItIsConfiguredNow() async throws {
    let url = try #require(RunningPostgreSQL.shared).newDatabase()
    try await expectServedAsNew(with: "first", then: "first", sharing: url)
  }

  @Test(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
  func aNewCopyServesAsItIsConfiguredNow() async throws {
    let url = try #require(RunningPostgreSQL.shared).newDatabase()
    try await expectServedAsNew(with: "first", then: "second", sharing: url)
  }

  /// Reads every source, starts again with the changes, and compares what is served with what a
  /// server serves that has stored nothing.
  private func expectServedAsNew(
    with first: String, then second: String, sharing url: String?
  ) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in ["a", "b"] {
      let elements = [1, 2].map {
        #"{"id":"\#(name)\#($0)","uid":"u\#(3 - $0)","stamp":\#(1_767_225_600 + $0)}"#
      }
      try Data("[\(elements.joined(separator: ","))]".utf8)
        .write(to: URL(filePath: "\(folder)/\(name).json"))
    }
    let upstream = try ChangingUpstream()
    upstream.rank(names { $0.change.isRanked.before })
    let before = try configuration(upstream.port, store: first, sharing: url) {
      ($0.before, $0.change.before)
    }
    _ = try await served(by: before)
    upstream.rank(names { $0.change.isRanked.after })
    let wanted = try await served(
      by: try configuration(upstream.port, store: "empty", sharing: nil) {
        ($0.after, $0.change.after)
      })
    let after = try configuration(upstream.port, store: second, sharing: url) {
      ($0.after, $0.change.after)
    }
    let found = try await served(by: after, until: wanted)
    for (index, tried) in ChangedConfigurationTests.cases.enumerated() {
      let comment = Comment(rawValue: "\(tried.change.key): \(tried.change.after)")
      let isSame = found[index] == wanted[index]
      #expect(isSame, comment)
      #expect([200, 404].contains(wanted[index].status), comment)
    }
    await upstream.stop()
    try FileManager.default.removeItem(atPath: folder)
  }

  private func names(_ isOne: (Case) -> Bool) -> Set<String> {
    Set(ChangedConfigurationTests.cases.indices.filter { isOne(Self.cases[$0]) }.map { "s\($0)" })
  }

  private func configuration(
    _ port: Int, store: String, sharing url: String?,
    _ source: (Case) -> (kind: String, over: String)
  ) throws -> Configuration {
    let sources = try ChangedConfigurationTests.cases.enumerated().map { index, tried in
      let (kind, over) = source(tried)
      let text = try KeyChange.source(kind, over).pretty()
        .replacing("PORT", with: "\(port)").replacing("NAME", with: "s\(index)")
        .replacing("FOLDER", with: folder)
      return "\"s\(index)\":\(text)"
    }
    let shared = url.map { #","url":"\#($0)""# } ?? ""
    let json = """
      {"server":{"port":0,"apiKeys":["one-key-of-many"],"newFeedsPerMinute":0},
      "store":{"path":"\(folder)/\(store).sqlite"\(shared)},
      "sources":{\(sources.joined(separator: ","))}}
      """
    return try Configuration.read(Array(json.utf8))
  }

  /// What a server answers for each case; it is asked again where it does not answer as is wanted,
  /// for a file is looked at behind the reply.
  private func served(
    by configuration: Configuration, until wanted: [Asked]? = nil
  ) async throws -> [Asked] {
    var options = NodeOptions(
      version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    options.durability = .processOnly
    let node = try await Node(configuration, options)
    let port = try await node.start().port
    let found = try ChangedConfigurationTests.cases.enumerated().map { index, tried in
      let target = "/v1/s\(index)/\(tried.change.target)"
      let deadline = ContinuousClock.now + .seconds(3)
      var asked = try Asked(target, at: port)
      while tried.after == KeyChange.file, let wanted, asked != wanted[index],
        ContinuousClock.now < deadline
      {
        asked = try Asked(target, at: port)
      }
      return asked
    }
    await node.drain()
    return found
  }
}
