/// Which elements stand in a window of a list.
extension World {
  /// A list that is read by windows of ranks.
  enum Listing: Hashable {
    /// Items by value: newest first, then by id descending.
    case items(SearchQuery)
    /// An observed list, in the order of its own happenings.
    case list(ListName)
    /// Users, the latest to join first.
    case users
    /// Tags, by how many items they have or by name.
    case tags(byName: Bool)
  }

  /// The total of a list and the elements at ranks `offset..<offset + count`, as far as it goes.
  /// What a number means depends on the list: an item's serial, a user's or a tag's number.
  ///
  /// `answer` numbers the answers: it seeds the order inside a second where that is shuffled.
  mutating func window(
    of listing: Listing, offset: Int, count: Int, answer: Int
  ) -> (total: Int, elements: [Int]) {
    switch listing {
    case .items(let query) where query.isEmpty:
      return valueWindow(order.reversed(), offset, count, answer)
    case .items(let query):
      let matching = indexed.filter { query.matches(Int($0), in: self) }
      return valueWindow(matching, offset, count, answer)
    case .list(let name):
      let entries = entries(of: name)
      return (entries.count, Array(entries.dropFirst(offset).prefix(count)))
    case .users:
      let numbers = (0..<users.count).reversed()
      return (numbers.count, Array(numbers.dropFirst(offset).prefix(count)))
    case .tags(let byName):
      let numbers = sortedTags(byName: byName)
      return (numbers.count, Array(numbers.dropFirst(offset).prefix(count)))
    }
  }

  /// The window of a list ordered by value; whole seconds are shuffled before it is cut.
  private func valueWindow<Serials: RandomAccessCollection<UInt32>>(
    _ serials: Serials, _ offset: Int, _ count: Int, _ answer: Int
  ) -> (total: Int, elements: [Int]) {
    let total = serials.count
    func serial(_ rank: Int) -> Int {
      Int(serials[serials.index(serials.startIndex, offsetBy: rank)])
    }
    func second(_ rank: Int) -> Int64 { records[serial(rank)].createdAt }
    guard offset < total else { return (total, []) }
    let end = min(offset + count, total)
    guard options.shufflesTies else { return (total, (offset..<end).map(serial)) }

    var first = offset
    while first > 0, second(first - 1) == second(offset) { first -= 1 }
    var elements: [Int] = []
    while first < end {
      var last = first
      while last < total, second(last) == second(first) { last += 1 }
      // Seeded by the second too: two windows of one answer would agree about it.
      var generator = SeededGenerator(
        seed: options.seed, answer, Int(truncatingIfNeeded: second(first)))
      let shuffled = (first..<last).map(serial).shuffled(using: &generator)
      elements += (first..<last).filter { $0 >= offset && $0 < end }.map { shuffled[$0 - first] }
      first = last
    }
    return (total, elements)
  }

  /// The items that a search knows of, newest first: it lags, so that what came lately is missing
  /// and what went lately is still there.
  private var indexed: [UInt32] {
    guard options.searchLagSeconds > 0 else { return order.reversed() }
    let since = nowSeconds - options.searchLagSeconds
    let recent = events.lastIndex { $0.atSeconds <= since }.map { $0 + 1 } ?? 0
    var (came, went) = (Set<UInt32>(), [UInt32]())
    for event in events[recent...] {
      guard let key = HexID(event.id), let serial = serials[key].map(UInt32.init) else { continue }
      switch event.kind {
      case .insert, .late: came.insert(serial)
      case .delete: went.append(serial)
      case .touch, .count: break
      }
    }
    let known = order.reversed().filter { !came.contains($0) }
    let gone = went.filter { !came.contains($0) }
    guard !gone.isEmpty else { return known }
    return (known + gone).sorted { a, b in
      let (a, b) = (records[Int(a)], records[Int(b)])
      return (a.createdAt, a.id) > (b.createdAt, b.id)
    }
  }

  /// How many items of those that are there have each tag, by the tag's number.
  func itemsPerTag() -> [Int] {
    var counts = [Int](repeating: 0, count: tags.count)
    for serial in order { for tag in tags(of: Int(serial)) { counts[tag] += 1 } }
    return counts
  }

  private func sortedTags(byName: Bool) -> [Int] {
    if byName { return tags.indices.sorted { tags[$0] < tags[$1] } }
    let counts = itemsPerTag()
    return tags.indices.sorted { (counts[$0], $1) > (counts[$1], $0) }
  }
}
