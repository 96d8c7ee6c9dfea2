import Foundation

/// A program that was run to its end.
package struct FinishedProgram: Sendable {
  /// What it wrote, to its output and as errors, in the order in which it did.
  package let text: String
  /// Its exit code.
  package let status: Int32

  /// Runs a program, of a path or by a name that is looked for, with its arguments. One that is not
  /// there ends with 127.
  package init(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    text = String(decoding: bytes, as: UTF8.self)
    status = process.terminationStatus
  }
}
