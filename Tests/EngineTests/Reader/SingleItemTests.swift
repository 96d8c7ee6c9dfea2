import History
import Support
import Synchronization
import Testing

@testable import Engine
@testable import Feed

/// What is asked for by itself: articles, people, tags, comments.
@Suite struct SingleItemTests {
  private func read(_ rig: Rig, _ name: ItemName) -> Result<ItemReading, ReadError> {
    let reader = rig.reader
    return rig.time.run {
      do throws(ReadError) {
        return .success(try await reader.item(name, wait: .seconds(10)))
      } catch {
        return .failure(error)
      }
    } ?? .failure(.timedOut)
  }

  @Test func kindsAreKeptApart() throws {
    let rig = try Rig()
    let id = rig.feed.insert(second: 1)
    #expect(try read(rig, ItemName(id)).get().bytes == id.bytes)
    #expect(try read(rig, ItemName(id, kind: "users")).get().bytes == id.bytes)
    #expect(rig.feed.itemCalls == [ItemName(id), ItemName(id, kind: "users")])
    _ = try read(rig, ItemName(id)).get()
    _ = try read(rig, ItemName(id, kind: "users")).get()
    #expect(rig.feed.itemCalls.count == 2)
  }

  @Test func onesWhoAskAtOnceShareACall() throws {
    let rig = try Rig()
    let name = ItemName(rig.feed.insert(second: 1), kind: "tags")
    let reader = rig.reader
    let readings = rig.time.run {
      async let first = reader.item(name, wait: .seconds(10))
      async let second = reader.item(name, wait: .seconds(10))
      return try? await [first, second].map(\.bytes)
    }
    #expect(readings == [name.id.bytes, name.id.bytes])
    #expect(rig.feed.itemCalls.count == 1)
  }

  @Test func whatIsNotThereIsRememberedForItsKind() throws {
    let rig = try Rig()
    let name = ItemName(Identity("nobody"), kind: "users")
    #expect(read(rig, name) == .failure(.notFound))
    #expect(read(rig, name) == .failure(.notFound))
    #expect(rig.feed.itemCalls.count == 1)
    #expect(read(rig, ItemName(name.id, kind: "tags")) == .failure(.notFound))
    #expect(rig.feed.itemCalls.count == 2)
    let (time, pause) = (rig.time, Backoff.absenceDuration)
    time.run { await time.sleep(pause) }
    #expect(read(rig, name) == .failure(.notFound))
    #expect(rig.feed.itemCalls.count == 3)
  }

  @Test func oneThatWentIsDeletedOnlyAmongItsKind() throws {
    var policy = Policy()
    policy.staleSeconds = 60
    let rig = try Rig(policy: policy)
    let id = rig.feed.insert(second: 1)
    _ = try read(rig, ItemName(id, kind: "comments")).get()
    _ = try read(rig, ItemName(id)).get()
    rig.feed.delete(id)
    let time = rig.time
    time.run { await time.sleep(.seconds(61)) }
    #expect(read(rig, ItemName(id, kind: "comments")) == .failure(.deleted))
    rig.feed.state.withLock { $0.itemFailure = .serverError(status: 500) }
    #expect(try read(rig, ItemName(id)).get().freshness.state == .expired)
  }

  @Test func theUpstreamsRefusalOfCallsIsTold() throws {
    let rig = try Rig()
    rig.feed.state.withLock { $0.itemFailure = .rateLimited(retryAfterSeconds: 7) }
    let failure = read(rig, ItemName(Identity("a"), kind: "users"))
    guard case .failure(.rateLimited) = failure else {
      Issue.record("\(failure)")
      return
    }
  }
}
