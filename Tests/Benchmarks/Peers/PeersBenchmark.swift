import Foundation
import Glibc

/// Measures the server beside nginx, Varnish, HAProxy and a C program with the same bytes, over
/// loopback: each server on the first processor, the load on the second, round by round in turn.
///
/// ```sh
/// swift build -c release
/// .build/release/PeersBenchmark              # all rows, about twelve minutes
/// .build/release/PeersBenchmark 3 2 hot full # rounds, seconds each, rows
/// ```
///
/// Debian's packages nginx, varnish, haproxy, wrk, nghttp2-client and strace bring what it needs;
/// a peer that is not installed is left out. `Rows` says what is measured and how.
@main struct PeersBenchmark {
  static func main() {
    guard isInstalled("wrk") else {
      say("wrk is not installed, which makes the load")
      exit(1)
    }
    do {
      try measure(CommandLine.arguments.dropFirst())
    } catch {
      say("\(error)")
      exit(1)
    }
  }

  private static func measure(_ words: ArraySlice<String>) throws {
    let numbers = words.prefix(2).compactMap { Int($0) }
    let names = words.dropFirst(numbers.count)
    // Upstreams and origin are part of the load.
    _ = try output(of: "taskset -a -p -c 1 \(getpid())")
    let stage = try Stage()
    let rows = Rows(
      stage: stage, rounds: max(1, numbers.first ?? 7),
      seconds: max(1, numbers.dropFirst().first ?? 3))
    let all: [(String, () throws -> [Row])] = [
      ("hot", rows.hot), ("heads", rows.heads), ("close", rows.closing),
      ("calls", rows.systemCalls), ("full", rows.full), ("store", rows.store),
      ("merged", rows.merged), ("unchanged", rows.unchanged), ("single", rows.single),
      ("raw", rows.raw), ("writes", rows.writes), ("cold", rows.cold), ("ingest", rows.ingest),
      ("listen", rows.listen), ("idle", rows.idle), ("attack", rows.attack),
    ]
    say("| figure | goal | measured | reached |\n| --- | --- | --- | --- |")
    for (name, measure) in all where names.isEmpty || names.contains(name) {
      for row in try measure() { say(row.line) }
    }
  }

  /// Written at once, also into a pipe.
  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
