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
