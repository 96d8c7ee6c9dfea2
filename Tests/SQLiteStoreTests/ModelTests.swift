import BufferedStore
import Feed
import History
import Support
import Testing

@testable import SQLiteStore

/// The store's rules over plain dictionaries, as slowly and simply as they can be said.
struct StoreModel {
  struct Place: Equatable {
    var id: Identity
    var state: KnownElement.State
    var updatedAt: Int64?
    var missingSince: Timestamp?
    var sentAt: Timestamp
  }

  var places: [String: [Position: Place]] = [:]
  var sequences: [String: Int64] = [:]
  var contents: [Identity: StoredItem] = [:]
  var floor: Int64 = 0

  mutating func keep(_ item: PageItem, sentAt: Timestamp) {
    if let known = contents[item.id], known.sentAt > sentAt { return }
    contents[item.id] = StoredItem(bytes: item.bytes, sentAt: sentAt)
  }

  mutating func commit(_ merge: Merge) {
    var feed = places[merge.feed.name] ?? [:]
    var sequence = sequences[merge.feed.name] ?? floor
    for (positions, removes) in [(merge.removed, true), (merge.missing, false)] {
      for position in positions {
        guard var place = feed[position], place.state != .removed, place.sentAt <= merge.sentAt
        else { continue }
        if !removes, place.missingSince != nil { continue }
        place.sentAt = merge.sentAt
        place.missingSince = removes ? nil : merge.sentAt
        if removes { place.state = .removed }
        if removes { sequence += 1 }
        feed[position] = place
      }
    }
    for seen in merge.seen {
      keep(seen.item, sentAt: merge.sentAt)
      let others = feed.filter { $0.value.id == seen.item.id }
      guard contents[seen.item.id]?.bytes != nil,
        others.allSatisfy({ $0.value.sentAt <= merge.sentAt })
      else { continue }
      for (position, place) in others where place.state != .removed {
        feed[position]?.state = .removed
        feed[position]?.missingSince = nil
        feed[position]?.sentAt = merge.sentAt
      }
      feed[seen.position] = Place(
        id: seen.item.id, state: seen.state, updatedAt: seen.item.updatedAt,
        sentAt: merge.sentAt)
      if seen.takesNumber { sequence += 1 }
    }
    places[merge.feed.name] = feed
    sequences[merge.feed.name] = sequence
  }

  mutating func delete(_ id: Identity, sentAt: Timestamp) {
    guard let known = contents[id], known.sentAt <= sentAt else { return }
    contents[id] = StoredItem(bytes: nil, sentAt: sentAt)
    for (name, feed) in places {
      for (position, place) in feed where place.id == id && place.state != .removed {
        places[name]?[position]?.state = .removed
        places[name]?[position]?.missingSince = nil
        places[name]?[position]?.sentAt = max(place.sentAt, sentAt)
        sequences[name, default: 0] += 1
      }
    }
  }

  mutating func cut(_ feed: String, below cut: Cut) {
    let gone = (places[feed] ?? [:]).filter { !cut.isBelow($0.key) }
    places[feed] = places[feed]?.filter { cut.isBelow($0.key) }
    release(gone.values.map(\.id))
  }

  mutating func drop(_ feed: String) {
    cut(feed, below: .top)
    if let sequence = sequences[feed] { floor = max(floor, sequence + 1) }
    places[feed] = nil
    sequences[feed] = nil
  }

  mutating func sweep(goneBefore: Timestamp, looseBefore: Timestamp) {
    for (feed, all) in places {
      let gone = all.filter { $0.value.state == .removed && $0.value.sentAt < goneBefore }
      places[feed] = all.filter { gone[$0.key] == nil }
      release(gone.values.map(\.id))
    }
    let loose = contents.filter { $0.value.bytes != nil && $0.value.sentAt < looseBefore }
    release(Array(loose.keys))
    contents = contents.filter { $0.value.bytes != nil || $0.value.sentAt >= goneBefore }
  }

  /// Forgets items that stand in no feed; what is known to be deleted stays known.
  private mutating func release(_ ids: [Identity]) {
    for id in ids where contents[id]?.bytes != nil {
      let isHeld = places.values.contains { feed in
        feed.values.contains { $0.id == id && $0.state != .removed }
      }
      if !isHeld { contents[id] = nil }
    }
  }

  func known(in feed: String) -> [KnownElement] {
    (places[feed] ?? [:]).sorted { $0.key > $1.key }.map { position, place in
      KnownElement(
        position: position, id: place.id, updatedAt: place.updatedAt, state: place.state,
        missingSince: place.missingSince)
    }
  }

  func elements(in feed: String) -> [Element] {
    known(in: feed).filter { $0.state != .removed }.map {
      Element(position: $0.position, id: $0.id, bytes: contents[$0.id]?.bytes ?? [])
    }
  }
}

@Suite struct ModelTests {
  static let feeds = [items, tagged("Swift"), tagged("C#")]
  static let ids = ["a", "ab", "b", "é", "日本", "z"].map { Identity($0) }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func doesWhatTheModelDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sandbox = try Sandbox()
    var store = try sandbox.open()
    var model = StoreModel()
    for step in 1...60 {
      // Mostly later than all before, now and then an answer that was overtaken.
      let sentAt = instant(Int64(step - (random.next(below: 3) == 0 ? random.next(below: 9) : 0)))
      switch random.next(below: 16) {
      case 0:
        let id = ModelTests.ids[random.next(below: ModelTests.ids.count)]
        _ = try store.delete([id], realm: "qiita#items", sentAt: sentAt)
        model.delete(id, sentAt: sentAt)
      case 1:
        let item = randomSeen(by: &random).item
        try store.keep(item, realm: "qiita#items", sentAt: sentAt)
        model.keep(item, sentAt: sentAt)
      case 2:
        store.close()
        store = try sandbox.open()
      case 3:
        let feed = ModelTests.feeds[random.next(below: ModelTests.feeds.count)].name
        let cut = randomCut(by: &random)
        guard let timeline = try store.foot(of: feed, limit: 1)?.timeline else { continue }
        try store.cut(feed, below: cut, leaving: timeline)
        model.cut(feed, below: cut)
      case 4:
        let feed = ModelTests.feeds[random.next(below: ModelTests.feeds.count)].name
        try store.drop(feed)
        model.drop(feed)
      case 5:
        let goneBefore = instant(Int64(step - random.next(below: 9)))
        let looseBefore = instant(Int64(step - random.next(below: 9)))
        let rows = 1 + random.next(below: 9)
        try sweepAround(store, goneBefore, looseBefore, rows: rows)
        model.sweep(goneBefore: goneBefore, looseBefore: looseBefore)
      default:
        let change = randomMerge(sentAt: sentAt, by: &random)
        let last = try store.commit(change, budget: nil)
        model.commit(change)
        #expect(last == model.sequences[change.feed.name], "seed \(seed), step \(step)")
      }
      try compare(store, with: model, "seed \(seed), step \(step)", by: &random)
    }
  }

  /// The same through a store that holds what cannot be written: what readers see never depends on
  /// what the disk can do, and once all is written, neither do the numbers.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func doesWhatTheModelDoesWhileWritingFails(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sandbox = try Sandbox()
    let base = try sandbox.open()
    let faulty = FaultyStore(over: base)
    let store = try BufferedStore(over: faulty)
    var model = StoreModel()
    var isFailing = false
    for step in 1...80 {
      let sentAt = instant(Int64(step))
      switch random.next(below: 12) {
      case 0:
        let id = ModelTests.ids[random.next(below: ModelTests.ids.count)]
        _ = try store.delete([id], realm: "qiita#items", sentAt: sentAt)
        model.delete(id, sentAt: sentAt)
      case 1:
        let item = randomSeen(by: &random).item
        try store.keep(item, realm: "qiita#items", sentAt: sentAt)
        model.keep(item, sentAt: sentAt)
      case 2, 3:
        isFailing.toggle()
        faulty.fail(with: isFailing ? .full : nil)
      case 4:
        _ = store.recover()
        #expect(store.isHolding == false || isFailing)
      case 5 where !isFailing && !store.isHolding:
        let feed = ModelTests.feeds[random.next(below: ModelTests.feeds.count)].name
        let cut = randomCut(by: &random)
        guard let timeline = try store.foot(of: feed, limit: 1)?.timeline else { continue }
        try store.cut(feed, below: cut, leaving: timeline)
        model.cut(feed, below: cut)
      default:
        let change = randomMerge(sentAt: sentAt, by: &random)
        let last = try store.commit(change, budget: nil)
        model.commit(change)
        let numbered = try #require(model.sequences[change.feed.name])
        #expect(last <= numbered, "seed \(seed), step \(step)")
      }
      try compare(store, with: model, "seed \(seed), step \(step)", by: &random)
    }
    faulty.fail(with: nil)
    _ = store.recover()
    try compare(base, with: model, "seed \(seed), written", by: &random)
    for feed in ModelTests.feeds {
      #expect(try base.timeline(of: feed)?.sequence == model.sequences[feed.name], "seed \(seed)")
    }
  }

  private func randomSeen(by random: inout SeededGenerator) -> Merge.Seen {
    let id = ModelTests.ids[random.next(below: ModelTests.ids.count)]
    var element = seen(
      id.text, 0, content: "content \(random.next(below: 3))",
      updatedAt: random.next(below: 3) == 0 ? nil : Int64(random.next(below: 9)),
      state: random.next(below: 4) == 0 ? .displaced : .live,
      takesNumber: random.next(below: 2) == 0)
    element.position = randomPosition(of: id, by: &random)
    return element
  }

  /// A place that no other identity ever takes, as the engine sees to.
  private func randomPosition(of id: Identity, by random: inout SeededGenerator) -> Position {
    let tie = random.next(below: 3) == 0 ? id.bytes + [0] : id.bytes
    return Position(order: Int64(random.next(below: 3)), tie: tie)
  }

  private func randomCut(by random: inout SeededGenerator) -> Cut {
    let id = ModelTests.ids[random.next(below: ModelTests.ids.count)]
    return Cut(position: randomPosition(of: id, by: &random))
  }

  /// Sweeps from the first row to the last, so many at a time.
  private func sweepAround(
    _ store: TimelineDatabase, _ goneBefore: Timestamp, _ looseBefore: Timestamp, rows: Int
  ) throws {
    let sweep = Sweep(goneBefore: goneBefore, looseBefore: looseBefore, rowsMax: rows)
    while try !store.sweep(sweep) {}
  }

  private func randomMerge(sentAt: Timestamp, by random: inout SeededGenerator) -> Merge {
    let feed = ModelTests.feeds[random.next(below: ModelTests.feeds.count)]
    var change = Merge(feed: feed, sentAt: sentAt, timeline: Timeline())
    for _ in 0..<random.next(below: 5) { change.seen.append(randomSeen(by: &random)) }
    for id in ModelTests.ids {
      let position = randomPosition(of: id, by: &random)
      switch random.next(below: 8) {
      case 0: change.removed.append(position)
      case 1: change.missing.append(position)
      default: break
      }
    }
    return change
  }

  private func compare(
    _ store: any TimelineStore, with model: StoreModel, _ when: Comment,
    by random: inout SeededGenerator
  ) throws {
    let reader = try store.makeReader()
    for feed in ModelTests.feeds {
      let elements = model.elements(in: feed.name)
      #expect(try store.elements(of: feed) == elements, when)
      #expect(
        try store.known(in: feed, below: .top, above: .bottom) == model.known(in: feed.name), when)
      let cuts = (0..<2).map { _ in randomCut(by: &random) }
      let limit = 1 + random.next(below: 4)
      let range = elements.filter { !cuts[0].isBelow($0.position) && cuts[1].isBelow($0.position) }
      #expect(
        try reader.elements(of: feed, below: cuts[0], above: cuts[1], limit: limit)
          == range.prefix(limit), when)
      #expect(
        try reader.lastElements(of: feed, below: cuts[0], above: cuts[1], limit: limit)
          == range.suffix(limit), when)
      let shape = HalfOfEach()
      for _ in 0..<2 {
        let shaped = try reader.elements(
          of: feed, below: cuts[0], above: cuts[1], limit: limit, as: shape)
        #expect(Array(shaped) == range.prefix(limit).map(HalfOfEach.half), when)
        let last = try reader.lastElements(
          of: feed, below: cuts[0], above: cuts[1], limit: limit, as: shape)
        #expect(Array(last) == range.suffix(limit).map(HalfOfEach.half), when)
      }
      #expect(shape.readings <= Set(range.map(\.id)).count, "an item known was read again")
      #expect(
        try reader.hasElement(of: feed, below: cuts[0], above: cuts[1]) == !range.isEmpty, when)
    }
    for id in ModelTests.ids {
      #expect(try reader.item(id, realm: "qiita#items") == model.contents[id], when)
    }
  }
}

/// Keeps the first half of each content that has an even number of bytes, and leaves the others.
private final class HalfOfEach: Projection {
  private(set) var readings = 0
  private var halves: [Int64: ProjectedContent] = [:]
  private var left: Set<Int64> = []

  static func half(of element: Element) -> Element {
    guard element.bytes.count.isMultiple(of: 2) else { return element }
    var element = element
    let half = half(of: element.bytes)
    (element.bytes, element.digest) = (half.bytes, half.digest)
    return element
  }

  private static func half(of content: [UInt8]) -> ProjectedContent {
    let half = Array(content.prefix(content.count / 2))
    return ProjectedContent(bytes: half, digest: UInt64(half.count))
  }

  func known(of item: Int64) -> ProjectedContent? { halves[item] }

  func shaped(_ content: [UInt8], of item: Int64) -> ProjectedContent? {
    guard content.count.isMultiple(of: 2) else {
      if left.insert(item).inserted { readings += 1 }
      return nil
    }
    readings += 1
    halves[item] = HalfOfEach.half(of: content)
    return halves[item]
  }
}
