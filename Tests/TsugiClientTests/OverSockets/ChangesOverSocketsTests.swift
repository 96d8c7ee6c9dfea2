import Foundation
import Simulator
import Testing

import struct Feed.Policy

@testable import TsugiClient

/// What the real server tells of changes, asked and live, over an upstream that moves.
@Suite(.serialized, .timeLimit(.minutes(10))) @MainActor struct ChangesOverSocketsTests {
  /// The server looks whenever it is asked to, and fetches nothing ahead.
  static func policy(firstWindow: Int = 100) -> Policy {
    var policy = Policy()
    (policy.refreshSeconds, policy.freshSeconds, policy.prefetchItems) = (0, 0, 0)
    policy.firstWindow = firstWindow
    return policy
  }

  static func stand(_ count: Int = 30) async throws -> ClientStand {
    try await ClientStand(clientWorld(count), policy: policy())
  }

  @Test func tellsWhatHappenedSinceAWalkBegan() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 5)
      let first = try await feed.slice()
      let (edited, gone) = (first.items[0], first.items[1].id)
      let new = stand.insert()
      stand.qiita.withQiita { qiita in
        qiita.world.touch(id: edited.id)
        qiita.world.delete(id: gone)
      }
      try await stand.look(3)
      let page = try await feed.changes(since: first.seq)
      let upserts = page.changes.filter { $0.operation == .upsert }
      #expect(Set(upserts.compactMap(\.item?.id)) == [edited.id, new])
      #expect(upserts.contains { $0.id == edited.id && $0.item?.title != edited.title })
      #expect(page.changes.filter { $0.operation == .delete }.map(\.id) == [gone])
      #expect(page.changes.count == 3 && !page.hasMore && page.undecodable.isEmpty)
      let rest = try await feed.changes(since: page.nextSince)
      #expect(rest.changes.isEmpty && rest.nextSince == page.nextSince)
    }
  }

  @Test func tellsAllChangesPageByPage() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self, limit: 20)
      var since = try await feed.slice().seq
      let new = (0..<30).map { _ in stand.insert() }
      try await stand.look(1)
      var ids: [String] = []
      while true {
        let page = try await feed.changes(since: since, limit: 7)
        ids += page.changes.compactMap(\.id)
        since = page.nextSince
        if !page.hasMore { break }
      }
      #expect(Set(ids) == Set(new))
      #expect(ids.count == 30)
    }
  }

  @Test func saysWhereTheNumberIsOfAnotherStore() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self)
      let seq = try await feed.slice().seq
      try await stand.restart(keepsStore: false)
      let error = await #expect(throws: TsugiError.self) { try await feed.changes(since: seq) }
      #expect(error?.code == .sinceExpired)
    }
  }

  /// The item behind an id is at the place that is told with it.
  @Test func eventsTellIdsAndPlaces() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let feed = stand.client.feed("qiita/items", of: Post.self)
      let events = feed.events(since: try await feed.slice().seq)
      let new = stand.insert()
      try await stand.look()
      let change = try #require(try await first(of: events))
      #expect(change.operation == .upsert && change.id == new && change.item == nil)
      let place = try #require(change.cursor)
      let at = try await feed.slice(SliceRequest(start: .at(.cursor(place)), limit: 1))
      #expect(at.items.map(\.id) == [new])
      #expect(at.items.first?.title?.isEmpty == false)
    }
  }

  @Test func eventsTellItemsCutToTheFieldsOfTheFeed() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let feed = stand.client.feed("qiita/items", of: QiitaItem.self, fields: ["title"])
      let events = feed.events(since: try await feed.slice().seq)
      let new = stand.insert()
      try await stand.look()
      let item = try #require(try await first(of: events)?.item)
      #expect(item.id == new && !item.title.isEmpty && item.renderedBody == nil)
    }
  }

  /// Also where nothing was told yet: the server says at once from where to go on.
  @Test(arguments: [true, false])
  func eventsGoOnAfterARestart(hasHeardSomething: Bool) async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let network = RelayTransport()
      let (listening, changes) = try await listen(to: stand, over: network)
      defer { listening.cancel() }
      var told = changes.makeAsyncIterator()
      if hasHeardSomething {
        let new = stand.insert()
        try await stand.look()
        #expect(await told.next()?.id == new)
      }
      var missed: String?
      try await stand.restart { missed = stand.insert() }
      try await stand.look()
      #expect(await told.next()?.id == missed)
      let last = stand.insert()
      try await stand.look()
      #expect(await told.next()?.id == last)
      #expect(network.streamRequests.last?.headers["last-event-id"] != nil)
    }
  }

  @Test func eventsBeginAgainWhereTheStoreIsAnother() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let network = RelayTransport()
      let (listening, changes) = try await listen(to: stand, over: network)
      defer { listening.cancel() }
      var told = changes.makeAsyncIterator()
      try await stand.restart(keepsStore: false)
      #expect(await told.next()?.operation == .reset)
      let new = stand.insert()
      try await stand.look()
      #expect(await told.next()?.id == new)
    }
  }

  /// Whatever is cut in between, and wherever: each change is told, in order, and none twice.
  @Test func eventsAreToldOnceHoweverOftenTheyAreCut() async throws {
    try await ClientStand.run(try await Self.stand()) { stand in
      let network = RelayTransport(bytesMax: 700)
      let feed = stand.client(over: network).feed("qiita/items", of: Post.self)
      _ = try await feed.slice()
      let (listening, changes) = listen(to: feed)
      defer { listening.cancel() }
      try await network.parts(1)
      var inserted: [String] = []
      for _ in 0..<20 {
        inserted.append(stand.insert())
        try await stand.look()
      }
      var told: [String?] = []
      for await change in changes.prefix(20) { told.append(change.id) }
      #expect(told == inserted)
      #expect(network.streamRequests.count > 2)
    }
  }

  private func first<Item>(of events: Feed<Item>.Events) async throws -> FeedChange<Item>? {
    for try await event in events { return event }
    return nil
  }

  /// Listens to a stand, and returns once the server has said from where on.
  private func listen(
    to stand: ClientStand, over network: RelayTransport
  ) async throws -> (Task<Void, any Error>, AsyncStream<FeedChange<Post>>) {
    let feed = stand.client(over: network).feed("qiita/items", of: Post.self)
    _ = try await feed.slice()
    let (listening, changes) = listen(to: feed)
    try await network.parts(1)
    return (listening, changes)
  }

  /// Listens in a task of its own.
  private func listen(
    to feed: Feed<Post>
  ) -> (Task<Void, any Error>, AsyncStream<FeedChange<Post>>) {
    let (changes, change) = AsyncStream<FeedChange<Post>>.makeStream()
    let listening = Task {
      defer { change.finish() }
      for try await event in feed.events() { change.yield(event) }
    }
    return (listening, changes)
  }
}
