import Crowd
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Something that is done again and again beside a measurement, on a thread of its own.
final class Disturbance: Sendable {
  private let hasEnded = Atomic(false)
  private let count = Atomic(0)
  private let done = DispatchGroup()

  /// Begins; each turn of `turn` gives what it counts.
  private init(_ label: String, _ turn: @escaping () -> Int) {
    // Safe because only the queue's work uses it from here on.
    nonisolated(unsafe) let turn = turn
    DispatchQueue(label: label).async(group: done) { [self] in
      while !hasEnded.load(ordering: .relaxed) { count.add(turn(), ordering: .relaxed) }
    }
  }

  /// Ends, and gives what all turns counted together.
  @discardableResult
  func end() -> Int {
    hasEnded.store(true, ordering: .relaxed)
    done.wait()
    return count.load(ordering: .relaxed)
  }
}

extension Disturbance {
  /// Has a server look at the tops of a feed of large items and of one of small ones, where ten of
  /// a hundred are others each time; counts looks.
  static func ingesting(_ stage: Stage) throws -> Disturbance {
    let sources = ["pages", "little"]
    // What was never asked for is asked for in small windows, which these do not have.
    for source in sources {
      let target = "/v1/\(source)/items?limit=100&fields=id"
      guard try RawReply(port: stage.tsugi.port, target).status == 200 else {
        throw Child.Failure(description: "\(source) cannot be read")
      }
    }
    return Disturbance("ingesting") { sources.count { looks(at: $0, stage) } }
  }

  /// Changes items of the small feed at a rate, twenty at once, and has the server look at its top
  /// each time; counts the changes it has looked at.
  static func changing(_ stage: Stage, perSecond: Int) -> Disturbance {
    let changesAtOnce = 20
    let interval = Duration.seconds(1) * changesAtOnce / perSecond
    let clock = ContinuousClock()
    var due = clock.now
    return Disturbance("changing") {
      due += interval
      // Behind what took longer than it should the next follows at once.
      defer { usleep(UInt32(max(0, clock.now.duration(to: due) / .microseconds(1)))) }
      let changed = stage.change(changesAtOnce)
      return looks(at: "small", stage) ? changed : 0
    }
  }

  /// Asks targets in turn, so many a second; counts those that were answered.
  static func writing(_ targets: [String], perSecond: Int, _ stage: Stage) -> Disturbance {
    var turn = 0
    return Disturbance("writing") {
      defer { usleep(UInt32(1_000_000 / perSecond)) }
      turn += 1
      let reply = try? RawReply(port: stage.tsugi.port, targets[turn % targets.count])
      return reply?.status == 200 ? 1 : 0
    }
  }

  /// Whether the server has looked at the top of a source's feed.
  private static func looks(at source: String, _ stage: Stage) -> Bool {
    let target = "/v1/\(source)/items?limit=1&refresh=true"
    return (try? RawReply(port: stage.tsugi.port, target))?.status == 200
  }

  /// Clients that listen to the changes of the small feed, and read what they are told; counts
  /// bytes. Returns when all listen.
  static func listening(_ count: Int, port: Int) throws -> Disturbance {
    let sockets = try (0..<count).map { _ in try Listener(port: port) }
    var polled = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    return Disturbance("listening") {
      // Each is closed when the turns are over, and with them this.
      guard withExtendedLifetime(sockets, { poll(&polled, nfds_t(polled.count), 100) }) > 0 else {
        return 0
      }
      // Many are read together, as they come, and a few at once: wrk has the same processor.
      defer { usleep(5_000) }
      var count = 0
      for (index, ready) in polled.filter({ $0.revents != 0 }).enumerated() {
        if index % 32 == 31 { usleep(50) }
        count += max(0, recv(ready.fd, &piece, piece.count, 0))
      }
      return count
    }
  }

  /// One of them.
  private final class Listener {
    let descriptor: Int32

    init(port: Int) throws {
      descriptor = try connectedSocket(port, receiveSeconds: 20)
      let request = "GET /v1/small/items:events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
      guard
        send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count
      else { throw RawReply.NoReply() }
    }

    deinit {
      close(descriptor)
    }
  }

  /// Slow heads, slow bodies, slow readers and mute connections. Returns when all have connected.
  static func attack(port: Int) throws -> Disturbance {
    var attackers: [Attacker] = []
    for (kind, count) in [
      (Attacker.Kind.slowHead, 300), (.slowBody, 300), (.slowReader, 300), (.mute, 3000),
    ] {
      for _ in 0..<count { attackers.append(try Attacker(kind, port: port)) }
    }
    return Disturbance("attack") { [attackers] in
      for attacker in attackers {
        // One that cannot connect again tries in the next round.
        try? attacker.goOn()
      }
      usleep(100_000)
      return 0
    }
  }
}

/// Lets all threads but the first give way to wrk, which has the same processor and is begun by the
/// first: what is measured is how long the server takes, and not how long an answer lies before it
/// is read.
func giveWayToLoad() throws {
  for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
    guard let thread = UInt32(thread), thread != getpid() else { continue }
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), thread, 10)
  }
}
