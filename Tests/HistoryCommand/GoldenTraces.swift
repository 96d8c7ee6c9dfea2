import ArgumentParser
import Foundation
import History
import Synchronization

/// Writes down every upstream call and every slice of many histories, or compares with what an
/// earlier engine wrote, so that a change that is meant to change nothing can show it.
struct GoldenTraces: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "golden",
    abstract: "Compares every call and every slice of many histories with those in a folder.",
    discussion: "The folder has a file for each dialect. Tests/HistoryCommand/golden makes it.")

  @Argument(help: "The folder with the traces.")
  var folder: String

  @Flag(help: "Write the folder instead.")
  var write = false

  @Option(help: "How many seeds of each dialect to play.")
  var seeds = 400

  func run() throws {
    var differing = 0
    for dialect in PlayHistories.dialects {
      let file = URL(filePath: folder).appending(path: "\(dialect)")
      let traces = try traces(of: dialect)
      guard !write else {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        try Data(traces.joined(separator: "\n\n").utf8).write(to: file)
        continue
      }
      let golden = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n\n")
      guard golden.count == traces.count else {
        throw ValidationError("\(file.path) has \(golden.count) seeds, not \(traces.count)")
      }
      let wrong = traces.indices.filter { traces[$0] != golden[$0] }
      print("\(dialect): \(traces.count - wrong.count) of \(traces.count) are the same")
      for seed in wrong.prefix(5) {
        print("seed \(seed): \(difference(of: traces[seed], from: golden[seed]))")
      }
      differing += wrong.count
    }
    if differing > 0 { throw ExitCode.failure }
  }

  /// The lines of each seed, first seed first.
  private func traces(of dialect: Dialect) throws -> [String] {
    let traces = Mutex([String](repeating: "", count: seeds))
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: seeds) { seed in
      do {
        let verdict = try History.play(seed: UInt64(seed), in: dialect, keeping: .exchanges)
        let lines = verdict.trace.lines + ["\(verdict.calls) calls"]
        traces.withLock { $0[seed] = lines.joined(separator: "\n") }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    return traces.withLock { $0 }
  }

  /// The first line that differs, as it was and as it is.
  private func difference(of trace: String, from golden: String) -> String {
    let (new, old) = (trace.split(separator: "\n"), golden.split(separator: "\n"))
    let line = zip(new, old).prefix { $0 == $1 }.count
    let (was, now) = (
      old.dropFirst(line).first ?? "the end", new.dropFirst(line).first ?? "the end"
    )
    return "line \(line + 1) was\n  \(was)\nand is\n  \(now)"
  }
}
