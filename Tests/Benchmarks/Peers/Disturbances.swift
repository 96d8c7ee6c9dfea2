import Crowd
import Dispatch
import Foundation
import Synchronization

/// Looks at the top of a feed again and again, something new standing there each time.
final class Ingesting: Sendable {
  private let hasEnded = Atomic(false)
  private let count = Atomic(0)
  private let done = DispatchGroup()

  init(_ stage: Stage) {
    // Safe because the stage's upstreams lock themselves, and nothing else of it is touched.
    nonisolated(unsafe) let stage = stage
    let port = stage.tsugi.port
    DispatchQueue(label: "ingesting").async(group: done) { [self] in
      while !hasEnded.load(ordering: .relaxed) {
        stage.drift()
        for source in ["qiita", "small"] {
          let reply = try? RawReply(port: port, "/v1/\(source)/items?limit=1&refresh=true")
          if reply?.status == 200 { count.add(1, ordering: .relaxed) }
        }
      }
    }
  }

  /// Ends, and gives the number of looks.
  func end() -> Int {
    hasEnded.store(true, ordering: .relaxed)
    done.wait()
    return count.load(ordering: .relaxed)
  }
}

/// Slow heads, slow bodies, slow readers and mute connections, kept up until it ends.
final class Attack: Sendable {
  private let hasEnded = Atomic(false)
  private let done = DispatchGroup()

  /// Returns when all have connected.
  init(port: Int) throws {
    var attackers: [Attacker] = []
    for (kind, count) in [
      (Attacker.Kind.slowHead, 300), (.slowBody, 300), (.slowReader, 300), (.mute, 3000),
    ] {
      for _ in 0..<count { attackers.append(try Attacker(kind, port: port)) }
    }
    // Safe because only the queue's work uses them from here on.
    nonisolated(unsafe) let all = attackers
    DispatchQueue(label: "attack").async(group: done) { [self] in
      while !hasEnded.load(ordering: .relaxed) {
        for attacker in all {
          // One that cannot connect again tries in the next round.
          try? attacker.goOn()
        }
        usleep(100_000)
      }
    }
  }

  func end() {
    hasEnded.store(true, ordering: .relaxed)
    done.wait()
  }
}
