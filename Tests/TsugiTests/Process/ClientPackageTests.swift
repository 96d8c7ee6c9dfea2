import Foundation
import Support
import Testing

/// A package of its own that depends on this one by path, as an app's does.
@Suite(.serialized) struct ClientPackageTests {
  private static let manifest = """
    // swift-tools-version: 6.1
    import PackageDescription

    let package = Package(
      name: "Reading",
      platforms: [.macOS(.v14)],
      dependencies: [.package(name: "tsugi", path: "\(root)", traits: [])],
      targets: [
        .executableTarget(
          name: "Reading", dependencies: [.product(name: "TsugiClient", package: "tsugi")])
      ]
    )
    """

  /// Walks the feed, then reads it as a list whose last row is always seen. It has types of its own
  /// by common names, takes the standard library's `Slice`, and says whose `Feed` it means.
  private static let program = """
    import TsugiClient

    struct Change {}
    struct Cursor {}
    struct Feed {}
    struct Position {}
    struct Problem {}
    protocol Transport {}
    let rest: Slice<[Int]> = Slice(base: [1, 2], bounds: 1..<2)

    @main @MainActor struct Reading {
      static func main() async throws {
        let client = FeedClient(baseURL: .init(string: CommandLine.arguments[1])!)
        let feed: TsugiClient.Feed<QiitaItem> = client.feed(
          "qiita/items", limit: 50, fields: ["title"])
        var ids: [String] = []
        for try await item in feed.items { ids.append(item.id) }
        print(ids.count, Set(ids).count)

        let list = PagedList(feed)
        await list.refresh()
        while list.canLoadMore, list.moreState.error == nil, let last = list.items.last {
          list.appeared(last)
          while list.moreState.isLoading { await Task.yield() }
        }
        print(list.items.count, list.items.isLastItem(list.items[list.items.count - 1]))
      }
    }
    """

  private static let root = Checkout.root.path

  @Test func buildsTheClientAloneAndReadsTheDemo() async throws {
    let package = FileManager.default.temporaryDirectory
      .appending(path: "tsugi-reading-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: package) }  // It lies in a temporary folder.
    let sources = package.appending(path: "Sources/Reading")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Self.manifest.write(
      to: package.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    try Self.program.write(
      to: sources.appending(path: "Reading.swift"), atomically: true, encoding: .utf8)

    _ = try run([
      "swift", "build", "--package-path", package.path, "--disable-index-store", "-Xswiftc",
      "-gnone",
    ])
    // No other package was fetched, and nothing of the server was built.
    let fetched = try FileManager.default.contentsOfDirectory(
      atPath: package.appending(path: ".build/checkouts").path)
    #expect(fetched.isEmpty)
    let built = package.appending(path: ".build/debug").resolvingSymlinksInPath()
    #expect(try compiledModules(in: built) == ["Reading", "TsugiClient", "Wire"])
    #expect(!(try run(["ldd", built.appending(path: "Reading").path])).contains("sqlite"))

    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "300", "--port", "0"])
    let url = try await address(of: serve)
    let said = try run([built.appending(path: "Reading").path, url])
    let words = said.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 4, "\(said)")
    let (count, distinct) = (try #require(Int(words[0])), try #require(Int(words[1])))
    // The demo moves while it is read, and never serves its newest second.
    #expect(count == distinct && (280...320).contains(count))
    #expect((280...320).contains(try #require(Int(words[2]))))
    #expect(words[3] == "true")
  }

  /// The modules of which there are object files.
  private func compiledModules(in folder: URL) throws -> Set<String> {
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    let objects = try #require(files).filter { $0.contains(".build/") && $0.hasSuffix(".o") }
    return Set(objects.map { String($0.prefix { $0 != "." }) })
  }

  /// Runs a program to its end and gives what it wrote.
  private func run(_ arguments: [String]) throws -> String {
    let program = try FinishedProgram(arguments)
    try #require(program.status == 0, "\(program.text)")
    return program.text
  }
}
