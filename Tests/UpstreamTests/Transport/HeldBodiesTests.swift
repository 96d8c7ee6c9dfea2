import Feed
import Testing

@testable import Upstream

/// What large bodies may hold together while they come.
@Suite(.serialized) struct HeldBodiesTests {
  private let free = HeldBodies.freeBytes

  @Test func oneMegabyteOfEachIsFree() {
    let bodies = HeldBodies(bytesMax: 0)
    let (first, second, third) = (bodies.begin(), bodies.begin(), bodies.begin())
    bodies.add(free + 1, to: first)
    bodies.add(free - 1, to: second)
    #expect(bodies.admits(1, to: second) && !bodies.admits(2, to: second))
    #expect(bodies.admits(free, to: third) && !bodies.admits(free + 1, to: third))
  }

  @Test func pastTheLimitTheEldestGoesOn() {
    let bodies = HeldBodies(bytesMax: 100)
    let (first, second, third) = (bodies.begin(), bodies.begin(), bodies.begin())
    bodies.add(free + 10, to: second)
    bodies.add(free + 80, to: third)
    #expect(bodies.admits(10, to: third) && !bodies.admits(11, to: third))
    #expect(bodies.admits(1 << 30, to: second))
    // One that began before them is the eldest when it becomes large.
    #expect(bodies.admits(1 << 30, to: first))
    bodies.end(second)
    #expect(bodies.admits(1 << 30, to: third))
  }

  /// A body that turns out too large when it goes on is the only one that fails.
  @Test func oneThatMayNotGoOnFailsAlone() async throws {
    let (large, whole) = (50 << 20, "HTTP/1.1 200 OK\nContent-Length: 5")
    let upstream = try ScriptedUpstream { number in
      switch number {
      case 0:
        [
          .head("HTTP/1.1 200 OK\nContent-Length: \(large)"),
          .bytes([UInt8](repeating: 7, count: large - 1)), .pause(milliseconds: 1_500), .text("7"),
        ]
      case 1: [.head("HTTP/1.1 200 OK"), .bytes([UInt8](repeating: 7, count: 2 << 20)), .close]
      default: [.head(whole), .pause(milliseconds: 2_000), .text("whole")]
      }
    }
    let results = try await exchange(upstream) { _, client in
      await withTaskGroup(of: (Int, Result<Int, FetchError>).self) { group in
        for (number, bytesMax) in [64 << 20, HeldBodies.freeBytes, 64 << 20].enumerated() {
          var limits = TransferLimits.forTests
          limits.bodyBytesMax = bytesMax
          group.addTask { [limits] in
            let raw = GetRequest.RawForm(isHead: false, interim: { _, _ in })
            let request = GetRequest(url: upstream.url, raw: raw)
            let answer = await client.get(request, limits: limits)
            return (number, answer.body.map(\.count))
          }
          try? await Task.sleep(for: .milliseconds(400))
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
    }
    #expect(results[0] == .success(large) && results[2] == .success(5))
    #expect(results[1] == .failure(.tooLarge(limitBytes: HeldBodies.freeBytes)))
  }

  /// 75 MB are more than may be held together: all of them come whole.
  @Test func allOfThemBecomeWhole() async throws {
    let size = 25 << 20
    let upstream = try ScriptedUpstream(always: [
      .head("HTTP/1.1 200 OK\nContent-Length: \(size)"), .bytes([UInt8](repeating: 7, count: size)),
    ])
    var limits = TransferLimits.forTests
    limits.bodyBytesMax = 32 << 20
    let counts = try await exchange(upstream) { [limits] _, client in
      await withTaskGroup(of: Int.self) { group in
        for _ in 0..<3 {
          group.addTask {
            let raw = GetRequest.RawForm(isHead: false, interim: { _, _ in })
            let request = GetRequest(url: upstream.url, raw: raw)
            return (try? await client.get(request, limits: limits).body.get())?.count ?? -1
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(counts == [size, size, size])
  }
}
