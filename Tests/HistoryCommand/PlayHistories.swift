import ArgumentParser
import Dispatch
import Glibc
import History
import Synchronization

/// Plays many histories, or one with everything that happens in it.
@main
struct PlayHistories: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "PlayHistories",
    abstract: "Plays seeded histories against the feed engine and checks what it promises.",
    subcommands: [GoldenTraces.self])

  @Option(help: "How many seeds to play.")
  var count: UInt64 = 10_000

  @Option(help: "The first seed.")
  var first: UInt64 = 0

  @Option(help: "Play this seed alone and print what happens.")
  var seed: UInt64?

  @Option(help: "A kind of oddity that every history has, and no other; may be repeated.")
  var only: [String] = []

  @Option(
    help: "How the upstream speaks: articles, notes, below, older, next, counted or unproven.")
  var dialect = "articles"

  @Flag(help: "Play a merged feed over two or three upstreams, each with a dialect by the seed.")
  var merged = false

  @Option(help: "How many servers share one store, with copies of their own.")
  var servers = 1

  func validate() throws {
    if !Self.dialects.contains(where: { $0.description == dialect }) {
      let names = Self.dialects.map(\.description).joined(separator: ", ")
      throw ValidationError("no such dialect: \(dialect); there are \(names)")
    }
    if merged, !only.isEmpty {
      throw ValidationError("a merged feed's upstreams are odd by the seed alone")
    }
    for name in only where Oddities.Kind(rawValue: name) == nil {
      let names = Oddities.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("no such kind: \(name); there are \(names)")
    }
  }

  static let dialects = Dialect.all + Dialect.believed
  private var spoken: Dialect { Self.dialects.first { $0.description == dialect } ?? .articles }

  private var kinds: Set<Oddities.Kind>? {
    only.isEmpty ? nil : Set(only.compactMap(Oddities.Kind.init))
  }

  func run() throws {
    if let seed {
      let verdict = try play(seed, keeping: .everything)
      verdict.trace.lines.forEach { print($0) }
      print("sum \(String(verdict.trace.sum, radix: 16)), \(verdict.calls) calls")
      try conclude([seed: verdict.violation].compactMapValues { $0 }, of: 1)
      return
    }
    let violations = Mutex<[UInt64: String]>([:])
    let calls = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: Int(count)) { index in
      let seed = first + UInt64(index)
      do {
        let verdict = try play(seed, keeping: .nothing)
        calls.add(verdict.calls, ordering: .relaxed)
        guard let violation = verdict.violation else { return }
        violations.withLock { $0[seed] = violation }
      } catch {
        violations.withLock { $0[seed] = "\(error)" }
      }
    }
    print("\(count) histories, \(calls.load(ordering: .relaxed)) upstream calls")
    try conclude(violations.withLock { $0 }, of: count)
  }

  private func play(_ seed: UInt64, keeping extent: Trace.Extent) throws -> History.Verdict {
    merged
      ? try History.playMerged(seed: seed, servers: servers, keeping: extent)
      : try History.play(
        seed: seed, only: kinds, in: spoken, servers: servers, keeping: extent)
  }

  private func conclude(_ violations: [UInt64: String], of count: UInt64) throws {
    for (seed, violation) in violations.sorted(by: { $0.key < $1.key }) {
      print("seed \(seed): \(violation)")
    }
    guard violations.isEmpty else {
      print("\(violations.count) of \(count) failed; play one with --seed N")
      throw ExitCode.failure
    }
    print("every promise kept")
  }
}
