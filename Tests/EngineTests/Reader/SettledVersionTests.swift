import Engine
import History
import Synchronization
import Testing

@testable import Feed

/// What is read between two equal versions is of one state only if there is none while something
/// is being written.
@Suite struct SettledVersionTests {
  private struct Sight: Equatable {
    var settled: UInt64?
    var version: UInt64
  }

  private static func watch(_ rig: Rig) -> @Sendable () -> [Sight] {
    let (reader, seen) = (rig.reader, Seen())
    rig.store.state.withLock { state in
      let look: @Sendable () -> Void = {
        let sight = Sight(settled: reader.settledVersion, version: reader.version)
        seen.sights.withLock { $0.append(sight) }
      }
      state.afterWrite = look
      state.afterChange = look
    }
    return { seen.sights.withLock { $0 } }
  }

  private final class Seen: Sendable {
    let sights = Mutex<[Sight]>([])
  }

  @Test func thereIsNoneWhileSomethingIsWritten() throws {
    let rig = try Rig()
    rig.fill(300)
    #expect(rig.reader.settledVersion == rig.reader.version)
    let sights = Self.watch(rig)
    _ = rig.slice(rig.request(limit: 100))
    // What was fetched ahead has landed.
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(5)) }
    let written = sights().count
    #expect(written > 1)
    rig.evictStep(itemsFeed)
    #expect(sights().count > written)
    #expect(sights().allSatisfy { $0.settled == nil })
    // It moves with each, and not before anybody can see it.
    #expect(sights().map(\.version) == sights().map(\.version).sorted())
    #expect(rig.reader.settledVersion == rig.reader.version)
    #expect(rig.reader.version >= UInt64(sights().count))
  }

  @Test func thereIsOneAgainWhereWritingFailed() throws {
    let rig = try Rig()
    rig.fill(100)
    _ = rig.slice(rig.request())
    let version = rig.reader.version
    rig.store.state.withLock { $0.failure = .failed(code: 5, message: "") }
    var request = rig.request()
    request.refreshes = true
    rig.feed.insert(second: rig.time.now.seconds)
    rig.time.run { [time = rig.time] in await time.sleep(.seconds(60)) }
    _ = rig.slice(request)
    #expect(rig.reader.settledVersion == rig.reader.version)
    #expect(rig.reader.version > version)
  }
}
