import Foundation
import Glibc
import Support
import Testing

/// The commands of the README and of the pages do what the pages say.
///
/// They are run against one demo, at its own address instead of the one that is written there.
@Suite(.timeLimit(.minutes(10))) struct PageCommandTests {
  private static let pages =
    ["README.md"]
    + ["HTTPAPI", "Changes", "Errors", "DropInQiita"].map { "Sources/Wire/Wire.docc/\($0).md" }

  @Test(.enabled(if: isThere("curl") && isThere("python3"), "curl or python3 is not installed"))
  func printWhatIsShown() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "300", "--port", "0"])
    let url = try await address(of: serve)
    var count = 0
    for path in Self.pages {
      let page = try Checkout.text(of: path)
      for line in fencedBlocks("sh", of: page).flatMap({ $0.split(separator: "\n") })
      where line.hasPrefix("curl ") {
        count += 1
        let command = line.replacingOccurrences(of: "http://127.0.0.1:8080", with: url)
        // A stream goes on until the time is over, which curl calls a failure.
        let said = try Self.shell(command)
        let isStream = line.contains("--max-time")
        #expect(said.status == 0 || isStream, "\(path): \(command)")
        let isProblem = path.hasSuffix("Errors.md")
        #expect(said.output.contains(#""code""#) == isProblem, "\(path): \(said.output)")
        #expect(isStream || said.output.count > 50, "\(path): \(command) says \(said.output)")
      }
    }
    #expect(count >= 5)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  /// The reply in the README has the members of a real one, in their order.
  @Test(.enabled(if: isThere("curl") && isThere("python3"), "curl or python3 is not installed"))
  func theReplyIsARealOne() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "300", "--port", "0"])
    let url = try await address(of: serve)
    let readme = try Checkout.text(of: "README.md")
    let shown = try #require(fencedBlocks("json", of: readme).first)
    let command = try #require(
      fencedBlocks("sh", of: readme).first { $0.hasPrefix("curl ") })
    let said = try Self.shell(
      command.replacingOccurrences(of: "http://127.0.0.1:8080", with: url))
    #expect(Self.members(of: said.output) == Self.members(of: shown))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  /// What else the README tells to run is what other tests run: a walk, the demo, a check of
  /// `config.json`, the image, and this.
  @Test func theReadmeHasNoOtherCommand() throws {
    let readme = try Checkout.text(of: "README.md")
    // Packages are installed by .ci/install.
    let rest = fencedBlocks("sh", of: readme)
      .flatMap { $0.replacing("\\\n", with: "").split(separator: "\n").map(String.init) }
      .filter { !$0.hasPrefix("curl ") && !$0.contains(" apt-get ") }
    #expect(
      rest == [
        "docker build -f docker/Dockerfile -t tsugi .",
        "docker run --rm -p 127.0.0.1:8080:8080 tsugi serve --demo",
        "swift run -c release tsugi serve --demo",
        "swift run -c release tsugi walk http://127.0.0.1:8080/v1/qiita/items --format table",
        "swift run -c release tsugi serve --config config.json",
        "swift test --experimental-maximum-parallelization-width 2",
      ])
  }

  @Test func walksAsTheReadmeSays() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--demo-items", "150", "--port", "0"])
    let url = try await address(of: serve)
    let walk = try RunningCommand(["walk", "\(url)/v1/qiita/items", "--format", "table"])
    #expect(await walk.exitCode() == 0)
    #expect(walk.errorText.last?.hasSuffix(", fresh, endReason: end") == true)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test func servesTheConfigurationAtTheTopLevel() async throws {
    let serve = try RunningCommand(
      ["serve", "--config", "config.json", "--port", "0"],
      files: ["config.json": try Checkout.text(of: "config.json")])
    _ = try await address(of: serve)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  private static func isThere(_ program: String) -> Bool {
    ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + program)
    }
  }

  /// The names of an indented JSON text's members, with how deep they stand.
  private static func members(of text: String) -> [Substring] {
    text.split(separator: "\n").compactMap { $0.split(separator: "\":").first }
      .filter { $0.contains("\"") && !$0.hasSuffix("\"") }
  }

  private static func shell(_ command: String) throws -> (output: String, status: Int32) {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", command]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    return (String(decoding: bytes, as: UTF8.self), shell.terminationStatus)
  }
}
