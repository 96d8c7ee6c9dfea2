import Foundation
import Glibc
import Support
import Testing

/// The tutorial as a reader follows it: every command, in one shell, from the first to the last.
///
/// Only the release build is left out, whose program the tests' own stands for, and ports that may
/// be taken here are replaced by free ones.
@Suite(.timeLimit(.minutes(20))) struct TutorialTests {
  private static let bash = "/bin/bash"

  @Test(
    .enabled(
      if: [bash, "/usr/bin/curl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) },
      "bash or curl is not installed"))
  func everyCommandDoesWhatItSays() throws {
    let page = try Checkout.text(of: "Sources/Wire/Wire.docc/Tutorial.md")
    var blocks = fencedBlocks("sh", of: page)
    #expect(blocks.count == 8)
    let build = """
      swift build -c release --product tsugi
      export TSUGI=$PWD PATH=$PWD/.build/release:$PATH
      mkdir ../reader && cd ../reader
      """
    #expect(blocks.removeFirst() == build)
    let ports = [try freePort(), try freePort()]
    let commands = blocks.map { block in
      block.replacing("127.0.0.1:9000", with: "127.0.0.1:\(ports[0])")
        .replacing("--port 9000", with: "--port \(ports[0])")
        .replacing("127.0.0.1:8080", with: "127.0.0.1:\(ports[1])")
    }
    // What is in the background ends with the shell, wherever that ends.
    let script =
      "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
      + commands.joined(separator: "\n\nprintf '\\n--\\n'\n") + "\nwait\n"
    let said = try run(script, port: ports[1])
    let parts = said.output.components(separatedBy: "\n--\n")
    try #require(said.status == 0 && parts.count == commands.count, "\(said.output)\(said.errors)")
    #expect(parts[1].hasPrefix(#"[{""#))
    #expect(parts[2].contains(#""kind": "http""#) || parts[2].contains(#""kind":"http""#))
    #expect(parts[3].split(separator: "\n").allSatisfy { !$0.hasPrefix("FAIL") })
    #expect(parts[3].contains("upstream api: "))
    let walked = parts[4].split(separator: "\n").filter { $0.contains("+09:00  ") }
    #expect((450...550).contains(walked.count))
    #expect(Set(walked.map { $0.prefix(20) }).count == walked.count)
    #expect(said.errors.contains(" items in "))
    #expect(parts[4].contains("  api/items\n"))
    #expect(parts[5].contains("\nmore: true\n"))
    #expect(parts[5].split(separator: "\n").count >= 21)
  }

  /// Runs a script in a folder of its own beside this program.
  private func run(
    _ script: String, port: Int
  ) throws -> (output: String, errors: String, status: Int32) {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "tsugi-tutorial-\(UUID().uuidString)/reader")
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let programs = URL(filePath: tests).deletingLastPathComponent().path
    let errors = folder.deletingLastPathComponent().appending(path: "errors")
    try Data().write(to: errors)
    let shell = Process()
    shell.executableURL = URL(filePath: Self.bash)
    shell.arguments = ["-c", script]
    shell.currentDirectoryURL = folder
    shell.environment = ProcessInfo.processInfo.environment.merging([
      "TSUGI": Checkout.root.path, "TSUGI_SERVER_PORT": "\(port)",
      "PATH": "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
    ]) { $1 }
    let output = Pipe()
    shell.standardOutput = output
    shell.standardError = try FileHandle(forWritingTo: errors)
    try shell.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    shell.waitUntilExit()
    return (
      String(decoding: bytes, as: UTF8.self), try String(contentsOf: errors, encoding: .utf8),
      shell.terminationStatus
    )
  }
}
