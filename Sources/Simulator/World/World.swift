import JSONBytes

/// What Qiita has: items, users, tags, who stocked and followed what, and how it came to be so.
///
/// A pure value: the same options and the same events give the same world, byte for byte. It has
/// no clock; the present second is handed in with `advance`. An item takes about a hundred bytes;
/// its text is made from its seed each time it is asked for.
///
/// Items are known inside by a serial number, which is their place in `records`. Read next:
/// `World+Events` (how it changes), `World+Windows` and `World+Lists` (what a list answer holds),
/// `World+JSON` (how it is written).
package struct World: Sendable {
  /// What is remembered of one item, also after it has gone.
  struct Record {
    let id: HexID
    let createdAt: Int64
    var updatedAt: Int64
    let user: Int
    var version = 0
    var likes: Int
    var comments: Int
    /// The step that brought it; 0 for the items of the beginning.
    let bornStep: Int
    /// The step that took it away.
    var goneStep: Int?
  }

  /// What is remembered of one user.
  struct User {
    let id: String
    var items = 0
    var followers: Int
    let followees: Int
  }

  let options: WorldOptions
  var generator: SeededGenerator
  var records: [Record] = []
  /// The serial numbers of the items that are there, oldest first: a new one is appended.
  var order: [UInt32] = []
  var serials: [HexID: Int] = [:]
  var users: [User]
  var userNumbers: [String: Int] = [:]
  var tags: [String]
  /// The tags of items that are not as made: recorded or changed by an event.
  var tagsBySerial: [Int: [Int]] = [:]
  /// The lists that somebody asked for or changed, as they are now.
  var lists: [ListName: [Int]] = [:]
  /// How many tags there were at the beginning: made items choose among these.
  let firstTagCount: Int
  /// What recordings brought; nil in a made world.
  let recording: Recording?

  /// The present second, since 1970.
  package private(set) var nowSeconds: Int64
  /// All that has happened, in order. Its count is the present step.
  package internal(set) var events: [Event] = []

  /// A world of made items.
  package init(_ options: WorldOptions = WorldOptions()) {
    self.options = options
    recording = nil
    generator = SeededGenerator(seed: options.seed)
    nowSeconds = options.topSeconds
    tags = Prose.tags
    firstTagCount = tags.count
    users = Self.madeUsers(max(10, min(options.itemCount / 8, 50_000)), options.seed)
    for (number, user) in users.enumerated() { userNumbers[user.id] = number }
    records.reserveCapacity(options.itemCount)
    order.reserveCapacity(options.itemCount)
    serials.reserveCapacity(options.itemCount)
    for second in firstSeconds() { appear(createdAt: second) }
  }

  /// A world of recorded items, newest first by `created_at`, then by id; each id once, as it
  /// stands in the first file that has it.
  ///
  /// Whatever list the files were recorded from, their elements are served as `items`, byte for
  /// byte. The options give the seed and the order inside a second; the count is ignored.
  package init(recording: Recording, options: WorldOptions = WorldOptions()) {
    self.options = options
    self.recording = recording
    generator = SeededGenerator(seed: options.seed)
    nowSeconds = options.topSeconds
    tags = recording.tags.isEmpty ? Prose.tags : recording.tags
    firstTagCount = tags.count
    users = recording.users.map { User(id: $0.id, followers: 10, followees: 10) }
    if users.isEmpty { users = Self.madeUsers(10, options.seed) }
    for (number, user) in users.enumerated() { userNumbers[user.id] = number }
    for item in recording.items {
      place(
        Record(
          id: item.id, createdAt: item.createdAt, updatedAt: item.updatedAt, user: item.user,
          likes: 0, comments: 0, bornStep: 0))
      tagsBySerial[records.count - 1] = item.tags
      users[item.user].items += 1
    }
    nowSeconds = max(nowSeconds, newestSecond)
  }

  /// Moves the clock forward; a second that has passed already changes nothing.
  package mutating func advance(to seconds: Int64) {
    nowSeconds = max(nowSeconds, seconds)
  }

  /// The second of the newest item; that of the options when there is none.
  var newestSecond: Int64 {
    order.last.map { records[Int($0)].createdAt } ?? options.topSeconds
  }

  /// The tags of an item, as places in `tags`.
  func tags(of serial: Int) -> [Int] {
    if let changed = tagsBySerial[serial] { return changed }
    var generator = SeededGenerator(seed: options.seed, serial, 3)
    var chosen: [Int] = []
    for _ in 0..<1 + generator.below(5) {
      let tag = generator.below(generator.below(firstTagCount) + 1)
      if !chosen.contains(tag) { chosen.append(tag) }
    }
    return chosen
  }

  /// The title of an item.
  func title(of serial: Int) -> String {
    if let recorded = recorded(serial) { return recorded.title }
    return Prose.title(
      number: serial, version: records[serial].version, tag: tags[tags(of: serial).first ?? 0])
  }

  /// What was recorded of an item; nil when it was made here.
  func recorded(_ serial: Int) -> Recording.Item? {
    guard let recording, serial < recording.items.count else { return nil }
    return recording.items[serial]
  }

  /// Adds a made item; gives its serial number.
  @discardableResult
  mutating func appear(createdAt: Int64, bornStep: Int = 0) -> Int {
    let serial = records.count
    var generator = SeededGenerator(seed: options.seed, serial, 1)
    let id = HexID(from: &generator)
    let user = generator.below(generator.below(users.count) + 1)
    let edited = generator.chance(0.3)
    place(
      Record(
        id: id, createdAt: createdAt,
        updatedAt: edited ? createdAt + Int64(generator.below(86_400)) : createdAt, user: user,
        likes: generator.below(generator.below(12) + 1),
        comments: max(0, generator.below(8) - 5), bornStep: bornStep))
    users[user].items += 1
    return serial
  }

  /// Puts a record where it belongs by its second, then by its id.
  private mutating func place(_ record: Record) {
    let serial = records.count
    records.append(record)
    serials[record.id] = serial
    order.insert(UInt32(serial), at: rankFromOldest(of: record))
  }

  /// How many of the items that are there are older by second, then by id.
  func rankFromOldest(of record: Record) -> Int {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      let other = records[Int(order[middle])]
      if (other.createdAt, other.id) < (record.createdAt, record.id) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private static func madeUsers(_ count: Int, _ seed: UInt64) -> [User] {
    (0..<count).map { number in
      var generator = SeededGenerator(seed: seed, number, 77)
      return User(
        id: Prose.userID(number), followers: generator.below(generator.below(400) + 1),
        followees: generator.below(60))
    }
  }

  /// The seconds of the first items, oldest first.
  private mutating func firstSeconds() -> ReversedCollection<[Int64]> {
    var seconds: [Int64] = []
    seconds.reserveCapacity(options.itemCount)
    var second = options.topSeconds
    for _ in 0..<max(0, options.itemCount) {
      seconds.append(second)
      guard !generator.chance(options.tieProbability) else { continue }
      second -= Int64(1 + generator.below(max(1, options.gapSeconds * 2 - 1)))
    }
    return seconds.reversed()
  }
}
