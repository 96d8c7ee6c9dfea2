package import Feed
import Support

/// What every store does, whatever keeps it: a seeded play of all that is asked of one, beside a
/// model over plain dictionaries, as slowly and simply as it can be said.
///
/// A new store has to pass it; its only input is what makes one.
package struct StoreContract {
  /// A store to be tried.
  package struct Subject {
    /// The store.
    package var store: any FeedStore
    /// Closes it and opens the same again; nil for one that lives in memory.
    package var reopen: (() throws -> any FeedStore)?
    /// The disk below it, which fails and works again; nil for one whose disk always works.
    package var disk: FaultyStore?
    /// What has to live as long.
    package var owner: AnyObject?

    /// A store.
    package init(_ store: any FeedStore) {
      self.store = store
    }

    /// A store over a disk that fails now and then.
    package init(_ store: any FeedStore, disk: FaultyStore) {
      self.store = store
      self.disk = disk
    }
  }

  /// What a store did otherwise.
  package struct Violation: Error, CustomStringConvertible {
    package let description: String
  }

  private static let realm = "qiita#items"
  private static let feeds = ["Swift", "C#", "日本"].map { tag in
    FeedID(
      source: "qiita", pattern: FeedPattern("tags/:id/items", order: .observed),
      parts: ["tags", tag, "items"].map { Array($0.utf8) })
  }
  private static let ids = ["a", "ab", "b", "é", "日本", "z"].map { Identity($0) }

  private let make: () throws -> Subject

  /// The contract for what `make` makes, which is empty.
  package init(make: @escaping () throws -> Subject) {
    self.make = make
  }

  /// Plays a seed. Throws ``Violation``, or what the store throws.
  package func play(seed: UInt64, steps: Int = 60) throws {
    var play = Play(random: SeededGenerator(seed: seed), subject: try make())
    for step in 1...steps {
      play.when = "seed \(seed), step \(step)"
      play.disturb()
      try play.step(step)
      try play.compare()
    }
    play.when = "seed \(seed), at the end"
    play.setDisk(isFailing: false)
    try play.recover()
    try play.compare()
    for feed in StoreContract.feeds {
      let (sequence, expected) = (
        try play.store.timeline(of: feed)?.sequence, play.model.sequences[feed.name]
      )
      try play.check(sequence == expected, "\(feed.name) is at \(sequence as Any)")
    }
  }

  /// One seed, as far as it is played.
  private struct Play {
    var random: SeededGenerator
    var subject: Subject
    var model = StoreModel()
    var when = ""
    private var isFailing = false

    init(random: SeededGenerator, subject: Subject) {
      self.random = random
      self.subject = subject
    }

    var store: any FeedStore { subject.store }

    func check(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
      guard !isRight else { return }
      throw Violation(description: "\(when): \(what())")
    }

    private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
      choices[random.next(below: choices.count)]
    }

    /// Whether what takes rows away may be asked of it: never while it cannot write.
    private var isWriting: Bool { !store.isHolding && !isFailing }

    /// Has the disk fail, or work again, now and then.
    mutating func disturb() {
      if subject.disk != nil, random.chance(15) { setDisk(isFailing: !isFailing) }
    }

    mutating func setDisk(isFailing: Bool) {
      self.isFailing = isFailing
      subject.disk?.fail(with: isFailing ? .full : nil)
    }

    /// Has what is held written, all of it where the disk works.
    func recover() throws {
      _ = store.recover()
      try check(!store.isHolding || isFailing, "holds something that can be written")
    }

    mutating func step(_ step: Int) throws {
      // Mostly later than all before, now and then an answer that was overtaken.
      let delay = random.chance(33) ? random.next(below: 9) : 0
      let sentAt = Timestamp(seconds: Int64(step - delay))
      let before = Timestamp(seconds: Int64(step - random.next(below: 9)))
      switch random.next(below: 16) {
      case 0:
        let id = pick(StoreContract.ids)
        _ = try store.delete([id], realm: StoreContract.realm, sentAt: sentAt)
        model.delete(id, sentAt: sentAt)
      case 1:
        let item = randomSeen().item
        try store.keep(item, realm: StoreContract.realm, sentAt: sentAt)
        model.keep(item, sentAt: sentAt)
      case 2:
        if let reopen = subject.reopen { subject.store = try reopen() }
      case 3 where isWriting:
        let (feed, cut) = (pick(StoreContract.feeds).name, randomCut())
        guard let timeline = try store.foot(of: feed, limit: 1)?.timeline else { return }
        try store.cut(feed, below: cut, leaving: timeline)
        model.cut(feed, below: cut)
      case 4 where isWriting:
        let feed = pick(StoreContract.feeds).name
        try store.drop(feed)
        model.drop(feed)
      case 5 where isWriting:
        let sweep = Sweep(
          goneBefore: before, looseBefore: Timestamp(seconds: Int64(step - random.next(below: 9))),
          rowsMax: 1 + random.next(below: 9))
        while try !store.sweep(sweep) {}
        model.sweep(goneBefore: sweep.goneBefore, looseBefore: sweep.looseBefore)
      case 6:
        try recover()
      default:
        let feed = pick(StoreContract.feeds)
        let merges = (0...random.next(below: 2)).map { _ in randomMerge(of: feed, sentAt: sentAt) }
        let last = try store.commit(merges, budget: nil)
        for merge in merges { model.commit(merge) }
        let expected = model.sequences[feed.name] ?? 0
        // What is held takes its numbers when it is written.
        let isRight = store.isHolding ? last <= expected : last == expected
        try check(isRight, "the last number is \(last), not \(expected)")
      }
    }

    private mutating func randomSeen() -> Merge.Seen {
      let id = pick(StoreContract.ids)
      let position = randomPosition(of: id)
      // Of an even and of an odd number of bytes, which projections tell apart.
      let content = String(repeating: "c", count: 8 + random.next(below: 3))
      let updatedAt = random.chance(33) ? nil : Int64(random.next(below: 9))
      return Merge.Seen(
        position: position,
        item: PageItem(
          id: id, key: position.order, updatedAt: updatedAt, bytes: Array(content.utf8)),
        state: random.chance(25) ? .displaced : .live, takesNumber: random.chance(50))
    }

    /// A place that no other identity ever takes, as the engine sees to.
    private mutating func randomPosition(of id: Identity) -> Position {
      let tie = random.chance(33) ? id.bytes + [0] : id.bytes
      return Position(order: Int64(random.next(below: 3)), tie: tie)
    }

    private mutating func randomCut() -> Cut {
      Cut(position: randomPosition(of: pick(StoreContract.ids)))
    }

    private mutating func randomMerge(of feed: FeedID, sentAt: Timestamp) -> Merge {
      var merge = Merge(feed: feed, sentAt: sentAt, timeline: Timeline())
      for _ in 0..<random.next(below: 5) { merge.seen.append(randomSeen()) }
      for id in StoreContract.ids {
        let position = randomPosition(of: id)
        switch random.next(below: 8) {
        case 0: merge.removed.append(position)
        case 1: merge.missing.append(position)
        default: break
        }
      }
      return merge
    }

    /// Compares all that can be read with the model.
    mutating func compare() throws {
      let reader = try store.makeReader()
      for feed in StoreContract.feeds {
        try compare(feed, reader)
        let known = try store.known(in: feed, below: .top, above: .bottom)
        try check(known == model.known(in: feed.name), "\(feed.name) knows \(known)")
      }
      for id in StoreContract.ids {
        let item = try reader.item(id, realm: StoreContract.realm)
        // One that stands nowhere may be kept for longer, until a sweep finds it too old.
        if model.contents[id] == nil, model.isLoose(id) { model.contents[id] = item }
        let expected = model.contents[id]
        try check(item == expected, "\(id.text) is \(item as Any), not \(expected as Any)")
      }
    }

    private mutating func compare(_ feed: FeedID, _ reader: any TimelineReader) throws {
      let elements = model.elements(in: feed.name)
      let all = try reader.elements(of: feed, below: .top, above: .bottom, limit: 1_000)
      try check(Array(all) == elements, "\(feed.name) has \(all.map(\.id.text))")
      if isWriting {
        let bytes = try store.contentBytes(of: feed.name)
        try check(bytes == model.contentBytes(in: feed.name), "\(feed.name) has \(bytes) bytes")
      }
      let (upper, lower, limit) = (randomCut(), randomCut(), 1 + random.next(below: 4))
      let range = elements.filter { !upper.isBelow($0.position) && lower.isBelow($0.position) }
      let name = "\(feed.name) between \(upper) and \(lower)"
      let first = try reader.elements(of: feed, below: upper, above: lower, limit: limit)
      try check(Array(first) == Array(range.prefix(limit)), "\(name): first \(first)")
      let last = try reader.lastElements(of: feed, below: upper, above: lower, limit: limit)
      try check(Array(last) == Array(range.suffix(limit)), "\(name): last \(last)")
      let hasAny = try reader.hasElement(of: feed, below: upper, above: lower)
      try check(hasAny == !range.isEmpty, "\(name): has an element: \(hasAny)")
      let offset = random.next(below: 4)
      let position = try reader.position(at: offset, of: feed, below: upper, above: lower)
      let expected = offset < range.count ? range[offset].position : nil
      try check(position == expected, "\(name): at \(offset) \(position as Any)")
    }
  }
}
