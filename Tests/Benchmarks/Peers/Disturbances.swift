import Crowd
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Looks at the tops of a feed of large items and of one of small ones again and again, something
/// new standing there each time.
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
        for source in ["pages", "small"] {
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

/// Clients that listen to the changes of the small feed, and read what they are told.
final class Listening: Sendable {
  private let hasEnded = Atomic(false)
  private let bytes = Atomic(0)
  private let done = DispatchGroup()

  /// Returns when all listen.
  init(_ count: Int, port: Int) throws {
    var polled: [pollfd] = []
    let request = Array("GET /v1/small/items:events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    for _ in 0..<count {
      let descriptor = try connectedSocket(port, receiveSeconds: 20)
      guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
        throw RawReply.NoReply()
      }
      polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    DispatchQueue(label: "listening").async(group: done) { [self, polled] in
      read(polled)
    }
  }

  private func read(_ sockets: [pollfd]) {
    var polled = sockets
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while !hasEnded.load(ordering: .relaxed) {
      guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
      for socket in polled where socket.revents != 0 {
        let count = recv(socket.fd, &piece, piece.count, 0)
        if count > 0 { bytes.add(count, ordering: .relaxed) }
      }
      // Many are read together, as they come.
      usleep(5_000)
    }
    for socket in polled { close(socket.fd) }
  }

  /// Ends, and gives the bytes that all were told together.
  func end() -> Int {
    hasEnded.store(true, ordering: .relaxed)
    done.wait()
    return bytes.load(ordering: .relaxed)
  }
}

/// Changes items of the small feed at a rate, twenty at once, and has the server look at its top
/// each time.
final class Changing: Sendable {
  private static let changesAtOnce = 20
  private let hasEnded = Atomic(false)
  private let count = Atomic(0)
  private let done = DispatchGroup()

  init(_ stage: Stage, perSecond: Int) {
    // Safe because the stage's upstreams lock themselves, and nothing else of it is touched.
    nonisolated(unsafe) let stage = stage
    let port = stage.tsugi.port
    let pause = UInt32(1_000_000 * Changing.changesAtOnce / perSecond)
    DispatchQueue(label: "changing").async(group: done) { [self] in
      while !hasEnded.load(ordering: .relaxed) {
        let changed = stage.change(Changing.changesAtOnce)
        let reply = try? RawReply(port: port, "/v1/small/items?limit=1&refresh=true")
        if reply?.status == 200 { count.add(changed, ordering: .relaxed) }
        usleep(pause)
      }
    }
  }

  /// Ends, and gives the number of changes that the server has looked at.
  func end() -> Int {
    hasEnded.store(true, ordering: .relaxed)
    done.wait()
    return count.load(ordering: .relaxed)
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
