import Feed
import Synchronization

@testable import Engine

/// The contents of a realm's items: stored once, whichever of its parts brought them last.
final class StoredContents: Sendable {
  private let contents = Mutex<[Identity: [UInt8]]>([:])

  func keep(_ items: [Element]) {
    contents.withLock { for item in items { $0[item.id] = item.bytes } }
  }

  /// The element with the content that is stored now.
  func filled(_ element: Element) -> Element {
    let bytes = contents.withLock { $0[element.id] }
    return Element(position: element.position, id: element.id, bytes: bytes ?? element.bytes)
  }
}

/// What a scripted part has stored: a timeline of exact proofs, and the elements in it.
struct Knowledge {
  private(set) var timeline = Timeline()
  private(set) var elements: [Element] = []
  private var lastPlaces: [Identity: Position] = [:]
  private var changed: [Identity: Int64] = [:]
  /// The numbers by which elements left a place for another.
  private var moved: [Identity: Int64] = [:]
  /// Changes are whole only after this number.
  private var floor: Int64 = 0
  private(set) var version: UInt64 = 0
  private(set) var calls = 0
  private(set) var asked: [SliceRequest] = []
  private let unit: KeyUnit
  private let pageSize: Int
  private let wall: Int?
  private let contents: StoredContents

  static let settle: Int64 = 2
  static let epoch = "scripted"

  init(unit: KeyUnit, pageSize: Int, wall: Int?, contents: StoredContents) {
    (self.unit, self.pageSize, self.wall) = (unit, pageSize, wall)
    self.contents = contents
    timeline.epoch = Knowledge.epoch
  }

  func plan(_ pattern: FeedPattern, _ policy: Policy, _ now: Timestamp) -> Plan {
    Plan(timeline: timeline, of: pattern, policy: policy, now: now)
  }

  /// The slice of a request; without an `upstream` that fails.
  mutating func answer(
    _ request: SliceRequest, upstream: (() -> [Element])?, policy: Policy, at now: Timestamp
  ) throws(ReadError) -> Slice {
    let failure = ReadError.unavailable(retryAt: now + .seconds(30))
    if !request.asksNothing { asked.append(request) }
    var demand = try reading(request.feed).demand(for: request, by: timeline, at: now)
    if request.wait == .zero { demand.mayAsk = false }
    var hasFailed = false
    while true {
      let plan = plan(request.feed.pattern, policy, now)
      let (step, items) = try reading(request.feed).step(for: demand, by: plan)
      switch step {
      case .serve(let outcome):
        let slice = Slice(
          outcome, items, plan, demand, version: version, isShort: hasFailed)
        if request.wait > .zero, let upstream {
          for look in outcome.looks { land(look, upstream(), at: now) }
        }
        return slice
      case .fetch(let ask):
        guard let upstream else {
          (hasFailed, demand.mayAsk) = (true, false)
          continue
        }
        let list = upstream()
        if let seek = ask.seek, isBeyondWall(seek.target, list) {
          return Slice(
            of: [], covers: nil, hasMore: false, hasPrevious: true, endReason: .upstreamLimit,
            freshness: .at(now))
        }
        land(ask, list, at: now)
        demand.calls += 1
        if demand.calls >= Demand.callsMax { demand.mayAsk = false }
      case .pass(let cut): demand.start = cut
      case .expired(let isStart): throw .positionExpired(isStart: isStart)
      case .fail, .show: throw hasFailed || upstream == nil ? failure : .timedOut
      }
    }
  }

  private func reading(_ feed: FeedID) -> FeedReading {
    FeedReading(feed: feed, reader: KnowledgeReader(elements.map(contents.filled), lastPlaces))
  }

  // MARK: Answers

  private mutating func land(_ ask: Ask, _ list: [Element], at now: Timestamp) {
    calls += 1
    defer { rank(by: list) }
    let clock = now.seconds - Knowledge.settle
    let settled = Cut.above(key: unit.keys(in: clock)?.upperBound ?? clock)
    switch ask.place {
    case .top:
      timeline.lookedAt = now
      let former = timeline.runs.first
      lay(page(below: settled, list), at: now)
      if let former, let head = timeline.runs.first, head.lower > former.upper {
        // What came between is given no numbers.
        timeline.sequence += 1
        floor = timeline.sequence
      }
    case .below(let cut), .again(_, let cut):
      lay(page(below: min(cut, settled), list), at: now)
    case .sought(let seek):
      let upper = min(Cut.above(key: seek.target.position.order), settled)
      lay(page(below: upper, list), at: now)
    case .above(let cut):
      let above = list.filter { cut.isBelow($0.position) }
      let last = above.suffix(pageSize).first?.position.order
      let isWhole = above.count <= pageSize
      let upper = isWhole ? settled : last.map { Cut.above(key: $0) } ?? settled
      let held = above.filter { !upper.isBelow($0.position) }
      lay((CutRange(upper: upper, lower: cut), held), at: now)
    case .rank: break
    }
  }

  /// A page of what lies below a cut. Its last key is open, since more of it may follow.
  private func page(below cut: Cut, _ list: [Element]) -> (CutRange, [Element]) {
    let visible = visible(list)
    let below = visible.drop { cut.isBelow($0.position) }
    var page = below.prefix(pageSize)
    // One key alone would leave nothing proven.
    while page.count < below.count, page.first?.position.order == page.last?.position.order {
      page = below.prefix(page.count + 1)
    }
    let isLast = page.count == below.count
    guard let last = page.last?.position.order else {
      let isOver = visible.count == list.count
      let wall = visible.last.map { Cut.below(key: $0.position.order) } ?? .bottom
      return (CutRange(upper: cut, lower: isOver ? .bottom : min(cut, wall)), [])
    }
    let lower =
      !isLast ? Cut.above(key: last) : visible.count == list.count ? .bottom : .below(key: last)
    return (CutRange(upper: cut, lower: lower), page.filter { lower.isBelow($0.position) })
  }

  /// Whether the upstream shows nothing below a cut, where there may be something.
  private func isBeyondWall(_ cut: Cut, _ list: [Element]) -> Bool {
    let visible = visible(list)
    return visible.count < list.count && visible.last.map { cut <= .above($0.position) } ?? true
  }

  /// What the upstream shows: down to its wall, whose last key is whole.
  private func visible(_ list: [Element]) -> ArraySlice<Element> {
    guard let wall, list.count > wall else { return list[...] }
    let last = list[wall - 1].position.order
    return list.prefix { $0.position.order >= last }
  }

  private mutating func lay(
    _ page: (range: CutRange, items: [Element]), at now: Timestamp
  ) {
    let (range, items) = page
    guard range.upper > range.lower else { return }
    version += 1
    let territory = Territory(timeline)
    let shown = Set(items.map(\.id))
    let before = Dictionary(uniqueKeysWithValues: elements.map { ($0.id, $0) })
    for element in elements where range.holds(element.position) && !shown.contains(element.id) {
      if territory.holds(element.position) { take(element.id) }
      noteMove(element.id, from: element.position, to: Cut.bottom.position, at: now)
    }
    elements.removeAll { range.holds($0.position) || shown.contains($0.id) }
    for item in items {
      let old = before[item.id]
      if let old, old.position > item.position {
        noteMove(item.id, from: old.position, to: item.position, at: now)
      } else if old == nil, lastPlaces[item.id] != nil {
        noteMove(item.id, from: item.position, to: item.position, at: now)
      }
      if old != item, old != nil || territory.holds(item.position) { take(item.id) }
      if let old, old.position != item.position { moved[item.id] = timeline.sequence }
      lastPlaces[item.id] = item.position
    }
    elements = (elements + items).sorted { $0.position > $1.position }
    contents.keep(items)
    timeline.open(range)
    timeline.proofs.append(
      Proof(
        upper: range.upper, lower: range.lower, provenAt: now, count: items.count, rankBelow: 0))
    timeline.proofs.sort { $0.upper > $1.upper }
  }

  /// Ranks are as an answer shows them.
  private mutating func rank(by list: [Element]) {
    for index in timeline.proofs.indices {
      let lower = timeline.proofs[index].lower
      timeline.proofs[index].rankBelow = list.count { lower.isBelow($0.position) }
    }
  }

  private mutating func noteMove(
    _ id: Identity, from: Position, to: Position, at now: Timestamp
  ) {
    let number = max((timeline.moves.last?.number ?? 0) + 1, now.milliseconds)
    timeline.moves.append(Move(number: number, id: id, from: from, to: to))
  }

  private mutating func take(_ id: Identity) {
    timeline.sequence += 1
    changed[id] = timeline.sequence
  }

  mutating func evict(below cut: Cut) {
    version += 1
    elements.removeAll { !cut.isBelow($0.position) }
    timeline.open(CutRange(upper: cut, lower: .bottom))
    if cut == .top { timeline.lookedAt = nil }
  }

  /// Elements whose content another part of the realm brought, and that were not seen with it.
  var unseenEdits: [Identity] {
    elements.filter { contents.filled($0).bytes != $0.bytes }.map(\.id)
  }

  func changes(after number: SequenceNumber, limit: Int) -> ChangeReading {
    let present = SequenceNumber(epoch: Knowledge.epoch, number: timeline.sequence)
    guard number.epoch == present.epoch, number.number >= floor,
      number.number <= timeline.sequence
    else { return .expired(present) }
    let asked = number.number
    let all = changed.filter { $0.value > number.number }.sorted { $0.value < $1.value }
    let changes = all.prefix(limit).map { id, number in
      let element = elements.first { $0.id == id }.map(contents.filled)
      return Change(
        number: number, id: id,
        event: element.map { .upsert($0.position, bytes: $0.bytes) } ?? .remove(bytes: nil),
        hasMoved: element != nil && (moved[id] ?? 0) > asked)
    }
    let isMore = all.count > limit
    return .changes(
      Changes(
        changes: changes,
        next: isMore
          ? SequenceNumber(epoch: present.epoch, number: changes.last?.number ?? 0) : present,
        hasMore: isMore))
  }
}

/// Reads the elements of a scripted part.
final class KnowledgeReader: TimelineReader {
  private let all: [Element]
  private let places: [Identity: Position]
  let epoch = Knowledge.epoch
  /// What happens right after a state was taken to read several times.
  var afterTaking: () -> Void = {}

  func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    afterTaking()
    return try body()
  }

  init(_ elements: [Element], _ places: [Identity: Position]) {
    (all, self.places) = (elements, places)
  }

  private func held(_ upper: Cut, _ lower: Cut) -> ArraySlice<Element> {
    all.drop { upper.isBelow($0.position) }.prefix { lower.isBelow($0.position) }
  }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) -> ArraySlice<Element> { held(upper, lower).prefix(limit) }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) -> ArraySlice<Element> { held(upper, lower).suffix(limit) }

  func hasElement(of feed: FeedID, below upper: Cut, above lower: Cut) -> Bool {
    !held(upper, lower).isEmpty
  }

  func position(at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut) -> Position? {
    held(upper, lower).dropFirst(offset).first?.position
  }

  func position(of id: Identity, in feed: FeedID) -> Position? {
    all.first { $0.id == id }?.position ?? places[id]
  }

  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) -> ChangeReading {
    .expired(number)
  }

  func item(_ id: Identity, realm: String) -> StoredItem? { nil }
}
