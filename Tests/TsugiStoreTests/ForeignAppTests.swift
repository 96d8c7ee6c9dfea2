import Foundation
import Testing
import TsugiClient
import TsugiClientTesting
import TsugiStore

/// An order of a shop, as an app of another API has it.
struct Order: Identifiable, Codable, Hashable, Sendable {
  var id: Int
  var state: String
  var day: String

  static func json(_ id: Int, state: String = "new", day: String = "mon") -> String {
    #"{"id":\#(id),"state":"\#(state)","day":"\#(day)"}"#
  }
}

/// All that an app can name, used as an app of another package does: by public names only.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ForeignAppTests {
  private let transport = ScriptedTransport()

  private func client(log: (@Sendable (FeedEvent) -> Void)? = nil) throws -> FeedClient {
    FeedClient(
      baseURL: try #require(URL(string: "https://shop.example")), apiKey: "k", transport: transport,
      timeout: .seconds(9), backoff: Backoff(), clock: ManualClock(),
      makeDecoder: { JSONDecoder() }, headers: { ["x-shop": "1"] }, log: log)
  }

  private func until(_ holds: () -> Bool) async { while !holds() { await Task.yield() } }

  @Test func namesAFeedByPathSearchAndParameters() throws {
    let feed = try client().feed(
      "shop/orders", of: Order.self, limit: 5, query: "a b",
      parameters: ["state": "paid", "by": "day"], fields: ["state"])
    #expect(feed.name == "shop/orders?by=day&query=a%20b&state=paid")
    #expect(feed.parameters == ["state": "paid", "by": "day"])
  }

  @Test func walksOnAfterAnItem() async throws {
    let feed: Feed<Order> = try client().feed("shop/orders")
    transport.next(.slice(of: [Order.json(2)], hasMore: false))
    transport.next(.slice(of: [Order.json(3)], hasMore: false))
    var ids: [Int] = []
    for try await order in feed.items(after: .element(id: "1")) { ids.append(order.id) }
    for try await slice in feed.slices(after: .element(id: "2")) { ids += slice.items.map(\.id) }
    #expect(ids == [2, 3])
    #expect(transport.requests[0].url.query == "limit=20&startAfter=id%3A1")
  }

  @Test func readsHowAFeedStands() async throws {
    let feed: Feed<Order> = try client().feed("shop/orders")
    transport.next(
      .json(
        """
        {"feed":"shop/orders","order":"value","items":7,"total":{"value":9,"asOf":
        "2026-11-21T00:00:00Z"},"seq":"e.4","freshness":{"state":"fresh","checkedAt":
        "2026-11-21T00:00:00Z","provenAt":"2026-11-21T00:00:00Z"},"runs":[{"items":7,
        "checkedAt":"2026-11-21T00:00:00Z","provenAt":"2026-11-20T00:00:00Z","reachesEnd":true,
        "startCursor":"s","endCursor":"t"}],"gaps":[{"id":"g","estimatedItems":3,"sunk":true}],
        "budget":{"limit":60,"remaining":5,"resetAt":"2026-11-21T01:00:00Z"},
        "policy":{"freshSeconds":1,"recheckSeconds":2,"staleSeconds":3}}
        """))
    let status: FeedStatus = try await feed.status()
    #expect(status.name == "shop/orders" && status.order == "value" && status.items == 7)
    #expect(status.total?.value == 9 && status.seq == SequenceNumber(rawValue: "e.4"))
    let run: FeedStatus.Run = status.runs[0]
    #expect(run.items == 7 && run.start.rawValue == "s" && run.end.rawValue == "t")
    #expect(run.reachesEnd && run.freshness.state == "expired")
    #expect(run.freshness.provenAt == Date(timeIntervalSince1970: 1_795_132_800))
    let gap: FeedStatus.Gap = status.gaps[0]
    #expect(gap.id == "g" && gap.estimatedItems == 3 && gap.isSunk)
    let budget: FeedStatus.Budget = status.budget
    #expect(budget.limit == 60 && budget.remaining == 5)
    #expect(budget.resetAt == Date(timeIntervalSince1970: 1_795_222_800))
    transport.next(
      .json(
        """
        {"filled":false,"calls":2,"gap":{"id":"h","estimatedItems":1,"sunk":false},
        "budget":{"limit":null,"remaining":3,"resetAt":null}}
        """))
    let filling: FeedFilling = try await feed.fill(gap: "g")
    #expect(!filling.isFilled && filling.calls == 2 && filling.rest?.id == "h")
    #expect(filling.budget.remaining == 3 && filling.budget.limit == nil)
  }

  @Test func makesRequestsChangesAndOptions() {
    let request = SliceRequest(
      start: .at(.time(Date(timeIntervalSince1970: 1_795_219_200.7))), end: nil, limitToLast: false,
      limit: 3, refresh: false)
    #expect(request.start == .at(FeedPosition.time(Date(timeIntervalSince1970: 1_795_219_200))))
    let change = FeedChange<Order>(
      .upsert, id: 3, item: nil, seq: SequenceNumber(rawValue: "e.1"),
      cursor: FeedCursor(rawValue: "c"), hasMoved: true)
    #expect(change.hasMoved && change.id == 3)
    let options = PagedOptions(
      prefetchDistance: 3, maxItems: nil, gapPolicy: .mark, fillsGaps: true,
      catchUpAfter: .seconds(1), settlesWithin: .seconds(2))
    #expect(options.catchUpAfter == .seconds(1) && options.settlesWithin == .seconds(2))
    #expect(ProblemCode.allCases.allSatisfy { (400...599).contains($0.status) })
    #expect(ProblemDetails(.notFound, detail: "").code == "not_found")
  }

  @Test func usesAListAndAnItemInAStore() async throws {
    let store: FeedStore = .inMemory(maxBytes: 1 << 20).account("ada")
    let feed: Feed<Order> = try client().feed("shop/orders")
    let list = PagedList(feed, in: store, at: nil, options: PagedOptions())
    transport.next(
      .slice(of: [Order.json(1), Order.json(2), Order.json(3, day: "sun")], hasMore: false))
    list.start()
    await until { list.isLoaded }
    #expect(list.place == nil && list.resumesAt == nil)
    #expect(list.item(2)?.state == "new" && list.item(9) == nil)
    list.visible([1, 2])
    let sections: [PagedSection<String, Order>] = list.sections(by: \.day)
    #expect(sections.map(\.key) == ["mon", "sun"] && sections[0].id.number == 0)
    #expect(sections[1].rows.count == 1)
    await list.cameBack()
    let item = PagedItem(2, of: feed, at: "shop/orders/2", in: store)
    let place: FeedPlace = item.place
    #expect(place == .found && item.id == 2 && item.item?.id == 2 && !item.isOutdated)
    let answer = try await list.edit(2) {
      $0.state = "paid"
    } sending: {
      7
    }
    #expect(answer == 7 && item.item?.state == "paid" && item.isPending && list.isPending(2))
    try await item.edit {
      $0.state = "sent"
    } sending: {
    }
    #expect(list.item(2)?.state == "sent")
    try await list.insert(Order(id: 0, state: "draft", day: "mon")) {
      Order(id: 4, state: "new", day: "mon")
    }
    try await list.remove(3) {}
    #expect(list.items.map(\.id) == [4, 1, 2])
    transport.next(.json(Order.json(2, state: "sent")))
    await item.load()
    #expect(item.state == .idle && !item.isPending)
    await store.flush()
    #expect(await store.items(of: feed, limit: 2).map(\.id) == [1, 2])
    #expect(await store.item(2, of: feed)?.state == "sent")
    let snapshot = try #require(list.snapshot())
    #expect(snapshot.feed == "shop/orders")
    #expect(await store.keep(snapshot, of: feed) == false)
    await store.remove(feed)
    #expect(await store.keep(snapshot, of: feed))
    await store.trim(toBytes: 0)
    await store.removeAll()
    #expect(await store.items(of: feed).isEmpty)
    #expect(!store.isPersistent && store.usedBytes > 0)
    #expect(FeedStore.defaultFile.lastPathComponent.hasSuffix(".tsugi.sqlite"))
  }

  @Test func followsUpdatesOfAPreview() async throws {
    let orders = [Order(id: 1, state: "new", day: "mon")]
    let list = PagedList<Order>.preview(orders, moreState: .loading, refreshState: .idle)
    list.start()
    list.footerAppeared()
    #expect(list.items == orders && list.moreState == .loading && list.isLoaded)
    var updates: PagedUpdates<Order>.AsyncIterator = list.updates.makeAsyncIterator()
    let first: PagedUpdate<Order>? = await updates.next()
    #expect(first?.rows.count == 1 && first?.changed == [])
    list.apply([FeedChange(.upsert, item: Order(id: 1, state: "paid", day: "mon"))])
    #expect(await updates.next()?.changed == [1])
  }

  @Test func laysDownChangesAndEvents() async throws {
    let feed: Feed<Order> = try client().feed("shop/orders")
    transport.next(
      .changes(
        [#"{"op":"delete","seq":"e.2","id":"2"}"#], next: "e.2", hasMore: false, state: "stale"))
    let page = try await feed.changes(since: SequenceNumber(rawValue: "e.1"))
    #expect(page.changes.first?.id == 2 && page.nextSince == SequenceNumber(rawValue: "e.2"))
    transport.nextEvents(
      [
        #"{"op":"upsert","seq":"e.3","id":"3"}"#,
        #"{"op":"upsert","seq":"e.4","id":4,"moved":true,"cursor":"c"}"#,
      ], staysOpen: true)
    var ids: [Int?] = []
    for try await change in feed.events() {
      ids.append(change.id)
      if change.hasMoved { break }
    }
    #expect(ids == [3, 4])
  }

  @Test func logsWhatHappensWithoutSecrets() async throws {
    let (events, event) = AsyncStream<FeedEvent>.makeStream()
    let feed: Feed<Order> = try client { event.yield($0) }
      .feed("shop/orders", parameters: ["token": "s3cret"])
    transport.next(.slice(of: [Order.json(1), #"{"id":"s3cret"}"#], hasMore: false))
    _ = try await feed.slice()
    transport.next(.changes([], next: "e.2"))
    _ = try await feed.changes(since: SequenceNumber(rawValue: "e.1"))
    await #expect(throws: TsugiError.self) { try await feed.slice() }
    event.finish()
    var lines: [String] = []
    for await event in events {
      switch event {
      case .requested(let feed, let verb, let status, let bytes, _):
        lines.append("\(feed) \(verb ?? "-") \(status ?? 0) \(bytes > 0)")
      case .dropped(let feed, let reason): lines.append("\(feed) dropped \(reason.isEmpty)")
      case .changed, .listening, .stored, .evicted, .storeFailed, .storeReset:
        Issue.record("\(event)")
      }
      #expect(!"\(event)".contains("s3cret"))
    }
    #expect(
      lines == [
        "shop/orders - 200 true", "shop/orders dropped false", "shop/orders changes 200 true",
        "shop/orders - 0 false",
      ])
  }
}
