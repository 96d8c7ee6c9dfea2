import Dispatch
import Foundation
import Glibc
import JSONBytes
import Testing

/// The built program, run as a process of its own in a directory of its own.
final class RunningCommand {
  private let process = Process()
  private let outputFile: URL
  private let end: AsyncStream<Int32>
  private var errorLines: AsyncStream<String>.AsyncIterator
  /// The directory it works in; removed with this value.
  let directory: URL
  /// The lines of standard error that were read so far.
  private(set) var errorText: [String] = []

  /// Starts `tsugi` with these arguments, after the files are laid into its directory; by
  /// a shell after a command of its own, if told.
  init(_ arguments: [String], files: [String: String] = [:], after command: String? = nil) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("tsugi-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (name, text) in files {
      try Data(text.utf8).write(to: directory.appendingPathComponent(name))
    }
    outputFile = directory.appendingPathComponent("output")
    try Data().write(to: outputFile)
    let errors = Pipe()
    if let command {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let script = "\(command) && exec \"$0\" \"$@\""
      process.arguments = ["-c", script, try Self.program.path] + arguments
    } else {
      process.executableURL = try Self.program
      process.arguments = arguments
    }
    process.currentDirectoryURL = directory
    process.environment = ["TMPDIR": directory.path]
    // Where a sanitizer watches, it reports as it was told, by the names it finds a program for.
    let own = ProcessInfo.processInfo.environment
    if let options = own["TSAN_OPTIONS"] {
      process.environment?.merge(["TSAN_OPTIONS": options, "PATH": own["PATH"] ?? ""]) { $1 }
    }
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    process.standardError = errors
    let (end, ended) = AsyncStream.makeStream(of: Int32.self)
    self.end = end
    process.terminationHandler = { process in
      // A signal's number, negative, where one ended it: no exit code is.
      let isExit = process.terminationReason == .exit
      ended.yield(isExit ? process.terminationStatus : -process.terminationStatus)
      ended.finish()
    }
    errorLines = Self.lines(of: errors.fileHandleForReading).makeAsyncIterator()
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    // What is left behind lies in the temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  /// The next line of standard error that holds `text`; nil when it ended without one.
  func errorLine(with text: String) async -> String? {
    while let line = await errorLines.next() {
      errorText.append(line)
      if line.contains(text) { return line }
    }
    return nil
  }

  /// The address that `simulate` prints once it listens; nil when it ended without.
  func servedAddress() async throws -> String? {
    guard await errorLine(with: "serving") != nil else { return nil }
    let text = String(decoding: try output(), as: UTF8.self)
    return text.split(separator: "\n").first.map(String.init)
  }

  /// The process, as `/proc` names it.
  var processID: Int32 { process.processIdentifier }

  /// `VmRSS` and `VmHWM`, in MB.
  var memory: (now: Int, most: Int) {
    get throws {
      let text = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
      func megabytes(_ name: String) throws -> Int {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) / 1024
      }
      return (try megabytes("VmRSS:"), try megabytes("VmHWM:"))
    }
  }

  /// From now on it may have no more descriptors than this, those it has aside.
  func limitDescriptors(to count: Int) throws {
    let limits = ["--pid", "\(process.processIdentifier)", "--nofile=\(count)"]
    try Process.run(URL(fileURLWithPath: "/usr/bin/prlimit"), arguments: limits).waitUntilExit()
  }

  /// Sends a signal.
  func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Waits for the end and gives the exit code.
  func exitCode() async -> Int32? {
    while let line = await errorLines.next() { errorText.append(line) }
    for await code in end { return code }
    return nil
  }

  /// What it wrote to standard output so far.
  func output() throws -> [UInt8] {
    Array(try Data(contentsOf: outputFile))
  }

  /// The lines a handle brings, read on a thread of their own.
  private static func lines(of handle: FileHandle) -> AsyncStream<String> {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let descriptor = handle.fileDescriptor
    DispatchQueue(label: "command.errors").async {
      var rest: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(descriptor, &chunk, chunk.count)
        guard count > 0 else { break }
        rest += chunk[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          line.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      withExtendedLifetime(handle) { line.finish() }
    }
    return lines
  }

  /// The program beside the test bundle.
  private static var program: URL {
    get throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(fileURLWithPath: tests).deletingLastPathComponent()
        .appendingPathComponent("tsugi")
    }
  }
}

/// Where a server listens, once it does: `http://127.0.0.1:8080`.
func address(of serve: RunningCommand) async throws -> String {
  let line = try #require(await serve.errorLine(with: #""message":"listening""#))
  let bytes = Array(line.utf8)
  let range = try #require(try JSON.member("url", of: bytes[...]))
  return String(decoding: try JSON.text(bytes[range]), as: UTF8.self)
}

/// The port it listens at.
func port(of serve: RunningCommand) async throws -> Int {
  try #require(URL(string: try await address(of: serve))?.port)
}
