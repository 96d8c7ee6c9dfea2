import Foundation
import History
import Support
import Testing

/// The command that plays histories, as Tests/README.md has it.
@Suite struct PlayHistoriesTests {
  @Test func saysThatEveryPromiseIsKept() throws {
    let (output, status) = try play(["--first", "700", "--count", "20"])
    #expect(output.hasPrefix("20 histories, ") && output.hasSuffix("\nevery promise kept\n"))
    #expect(status == 0)
  }

  @Test func printsTheHistoryOfASeed() throws {
    let (output, status) = try play(["--seed", "700"])
    let lines = output.split(separator: "\n")
    #expect(lines.first?.contains("Script(seed: 700") == true && lines.count > 20)
    #expect(status == 0)
  }

  @Test func comparesEveryCallAndEverySliceWithThoseOfAnEarlierEngine() throws {
    let folder = try TemporaryDirectory("tsugi-golden")
    #expect(try play(["golden", "--seeds", "2", "--write", folder.path]) == ("", 0))
    let (same, passed) = try play(["golden", "--seeds", "2", folder.path])
    #expect(same.hasPrefix("articles: 2 of 2 are the same\n") && passed == 0)

    let file = URL(filePath: folder.path).appending(path: "notes")
    let golden = try String(contentsOf: file, encoding: .utf8)
    let call = try #require(golden.firstRange(of: "call offset 0+"))
    try golden.replacingCharacters(in: call, with: "call offset 1+")
      .write(to: file, atomically: true, encoding: .utf8)
    let (other, failed) = try play(["golden", "--seeds", "2", folder.path])
    #expect(other.contains("notes: 1 of 2 are the same\nseed 0: line "))
    #expect(failed != 0)
  }

  @Test func theLongRunPlaysEveryOddKind() throws {
    let script = try Checkout.text(of: ".ci/long")
    let list = try #require(script.firstMatch(of: /kinds=\(([^)]*)\)/)).output.1
    #expect(
      list.split(whereSeparator: \.isWhitespace).map(String.init)
        == Oddities.Kind.held.map(\.rawValue))
  }

  private func play(_ arguments: [String]) throws -> (output: String, status: Int32) {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let command = Process()
    let output = Pipe()
    command.executableURL = URL(filePath: tests).deletingLastPathComponent()
      .appending(path: "PlayHistories")
    command.arguments = arguments
    command.standardOutput = output
    try command.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    command.waitUntilExit()
    return (text, command.terminationStatus)
  }
}
