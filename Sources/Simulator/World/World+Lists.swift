/// The lists that are ordered by a time which their elements do not carry.
extension World {
  /// One such list.
  enum ListName: Hashable {
    /// Items with a tag, the latest tagged first.
    case tag(Int)
    /// Items a user has stocked, the latest first.
    case stocks(user: Int)
    /// Users who follow a user.
    case followers(user: Int)
    /// Users a user follows.
    case followees(user: Int)
    /// Tags a user follows.
    case followingTags(user: Int)
    /// Users who have stocked an item.
    case stockers(item: Int)
  }

  /// The elements of a list, the latest first. Made from the seed when it is first asked for, then
  /// kept and moved by events.
  mutating func entries(of name: ListName) -> [Int] {
    if let known = lists[name] { return known }
    let made = firstEntries(of: name)
    lists[name] = made
    return made
  }

  /// The place of a tag in `tags` by its name; letter case is not looked at.
  func tagNumber(_ name: String) -> Int? {
    tags.firstIndex(of: name) ?? tags.firstIndex { $0.lowercased() == name.lowercased() }
  }

  /// A user stocks an item, or stocks it again: it comes to the top. False when either is unknown.
  @discardableResult
  package mutating func stock(item id: String, by user: String) -> Bool {
    guard let serial = presentSerial(id), let number = userNumbers[user] else { return false }
    moveToTop(serial, of: .stocks(user: number))
    moveToTop(number, of: .stockers(item: serial))
    return true
  }

  /// An item gets a tag, or gets it again: it comes to the top of the tag's list. The tag is made
  /// when it is new. False when the item is unknown.
  @discardableResult
  package mutating func tag(item id: String, with name: String) -> Bool {
    guard let serial = presentSerial(id) else { return false }
    let number = tags.firstIndex(of: name) ?? tags.count
    if number == tags.count { tags.append(name) }
    // Made before the item has the tag, so that moving it is all that happens.
    moveToTop(serial, of: .tag(number))
    let others = tags(of: serial).filter { $0 != number }
    tagsBySerial[serial] = others + [number]
    return true
  }

  /// An item loses a tag but stays: it leaves the tag's list. False when either is unknown.
  @discardableResult
  package mutating func untag(item id: String, from name: String) -> Bool {
    guard let serial = presentSerial(id), let number = tags.firstIndex(of: name) else {
      return false
    }
    remove(serial, from: .tag(number))
    tagsBySerial[serial] = tags(of: serial).filter { $0 != number }
    return true
  }

  /// One user follows another, or follows again. False when either is unknown.
  @discardableResult
  package mutating func follow(user: String, by follower: String) -> Bool {
    guard let followed = userNumbers[user], let number = userNumbers[follower] else { return false }
    moveToTop(number, of: .followers(user: followed))
    moveToTop(followed, of: .followees(user: number))
    return true
  }

  /// Some element of the list happens again and comes to the top; its place is chosen by the seed.
  mutating func moveSomethingToTop(of name: ListName) {
    let entries = entries(of: name)
    guard !entries.isEmpty else { return }
    moveToTop(entries[generator.below(entries.count)], of: name)
  }

  /// A new item comes to the top of its tags' lists.
  mutating func addToLists(item serial: Int) {
    for tag in tags(of: serial) where lists[.tag(tag)] != nil { moveToTop(serial, of: .tag(tag)) }
  }

  /// An item that has gone leaves all lists.
  mutating func removeFromLists(item serial: Int) {
    for name in lists.keys {
      switch name {
      case .tag, .stocks: remove(serial, from: name)
      case .stockers(serial): lists[name] = nil
      default: continue
      }
    }
  }

  private mutating func moveToTop(_ entry: Int, of name: ListName) {
    let others = entries(of: name).filter { $0 != entry }
    lists[name] = [entry] + others
  }

  private mutating func remove(_ entry: Int, from name: ListName) {
    lists[name] = entries(of: name).filter { $0 != entry }
  }

  private func firstEntries(of name: ListName) -> [Int] {
    switch name {
    case .tag(let tag): firstTagged(tag)
    case .stocks(let user):
      some(5 + user * 37 % 200, of: order.count, kind: 11, user)
        .map { Int(order[$0]) }
    case .followers(let user): some(users[user].followers, of: users.count, kind: 12, user)
    case .followees(let user): some(users[user].followees, of: users.count, kind: 13, user)
    case .followingTags(let user): some(user * 7 % 20, of: tags.count, kind: 14, user)
    case .stockers(let item): some(item * 31 % 60, of: users.count, kind: 15, item)
    }
  }

  /// Items with the tag, newest first, save that one in twenty was tagged long after it was made
  /// and stands higher up.
  private func firstTagged(_ tag: Int) -> [Int] {
    var generator = SeededGenerator(seed: options.seed, tag, 10)
    var entries: [Int] = []
    for serial in order.reversed() where tags(of: Int(serial)).contains(tag) {
      let isDisplaced = generator.chance(0.05)
      entries.insert(
        Int(serial), at: isDisplaced ? generator.below(entries.count + 1) : entries.count)
    }
    return entries
  }

  private func some(_ count: Int, of all: Int, kind: Int, _ owner: Int) -> [Int] {
    let chosen = Permutation(of: all, seed: SeededGenerator.mixed(options.seed, kind, owner))
    return (0..<min(count, all)).map { chosen[$0] }
  }
}
