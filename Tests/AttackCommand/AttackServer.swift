import ArgumentParser
import Crowd
import Dispatch
import Glibc
import HTTP
import Synchronization

/// Attacks a server of `--demo` in every way at once, and measures how long good clients wait.
@main
struct AttackServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "AttackServer",
    abstract: "Attacks a server on this machine in every way at once; tells how good clients fare.")

  /// How many of each kind, so that they take what the limits give: 4,140 connections.
  private static let crowd: [(kind: Attacker.Kind, count: Int)] = [
    (.slowHead, 200), (.slowBody, 200), (.slowReader, 200), (.mute, 1_000), (.longHead, 800),
    (.halfBody, 800), (.unread, 300), (.muteListener, 300), (.pipeliner, 4), (.guesser, 4),
    (.searcher, 4),
  ]
  /// The longest that a good request may take, at the 99th percentile.
  private static let p99Max = Duration.seconds(1)

  @Option(help: "The port the server listens on, on 127.0.0.1.")
  var port: Int

  @Option(help: "How long, in seconds.")
  var seconds = 60

  @Option(help: "A kind of attacker that comes, and no other; may be repeated.")
  var only: [String] = []

  func validate() throws {
    for name in only where Attacker.Kind(rawValue: name) == nil {
      let names = Attacker.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("no such kind: \(name); there are \(names)")
    }
  }

  func run() throws {
    guard DescriptorLimit.raise(to: 5_000) >= 5_000 else {
      throw ValidationError("needs 5,000 descriptors: ulimit -n")
    }
    let end = ContinuousClock.now + .seconds(seconds)
    let good = Good()
    good.begin(port: port, until: end)
    var attackers: [Attacker] = []
    var refused = 0
    for (kind, count) in Self.crowd where only.isEmpty || only.contains(kind.rawValue) {
      for number in 0..<count {
        do {
          attackers.append(try Attacker(kind, port: port, number: number))
        } catch is ConnectFailure {
          refused += 1
        }
      }
    }
    while ContinuousClock.now < end {
      for attacker in attackers {
        do { try attacker.goOn() } catch is ConnectFailure { refused += 1 }
      }
      usleep(10_000)
    }
    attackers = []
    let (waits, failures) = good.end()
    let text = waits.isEmpty ? "" : ", p50 \(waits[waits.count / 2]), p99 \(p99(of: waits))"
    print("\(waits.count) good requests\(text), \(failures.count) without 200, \(refused) refused")
    failures.prefix(5).forEach { print($0) }
    guard failures.isEmpty, !waits.isEmpty, p99(of: waits) < Self.p99Max else {
      throw ExitCode.failure
    }
  }

  private func p99(of waits: [Duration]) -> Duration { waits[waits.count * 99 / 100] }
}

/// Clients that mean well, each on a thread of its own: one keeps its connection, one makes a new
/// one each time; twenty requests a second together.
private final class Good: Sendable {
  private let figures = Mutex((waits: [Duration](), failures: [String]()))
  private let done = DispatchGroup()

  func begin(port: Int, until end: ContinuousClock.Instant) {
    for keeps in [true, false] {
      DispatchQueue(label: "good.\(keeps)").async(group: done) { [self] in
        ask(port: port, until: end, keeping: keeps)
      }
    }
  }

  private func ask(port: Int, until end: ContinuousClock.Instant, keeping keeps: Bool) {
    var kept: GoodClient?
    while ContinuousClock.now < end {
      let begun = ContinuousClock.now
      var answer: String?
      do {
        let client = try kept ?? GoodClient(port: port)
        kept = keeps ? client : nil
        answer = try client.ask("/v1/qiita/items?limit=20")
      } catch {
        answer = "\(error)"
      }
      let wait = ContinuousClock.now - begun
      figures.withLock {
        $0.waits.append(wait)
        if answer != "HTTP/1.1 200 OK" { $0.failures.append(answer ?? "no answer") }
      }
      usleep(100_000)
    }
  }

  func end() -> (waits: [Duration], failures: [String]) {
    done.wait()
    return figures.withLock { ($0.waits.sorted(), $0.failures) }
  }
}
