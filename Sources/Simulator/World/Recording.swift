package import JSONBytes

/// Recorded answers of Qiita, split into items whose bytes never change.
package struct Recording: Sendable {
  /// One recorded item.
  struct Item: Sendable {
    let id: HexID
    let createdAt: Int64
    let updatedAt: Int64
    let title: String
    /// Places in `Recording.users` and `Recording.tags`.
    let user: Int
    let tags: [Int]
    let bytes: ArraySlice<UInt8>
  }

  /// A user as the first recorded item has it.
  struct User: Sendable {
    let id: String
    let bytes: ArraySlice<UInt8>
  }

  /// Why a file cannot be served.
  package enum Failure: Error, Hashable, Sendable {
    /// The file (counted from 0) is not a JSON array.
    case notAnArray(file: Int, JSONError)
    /// An element has no usable id, date, title, user or tags.
    case notAnItem(file: Int, element: Int)
  }

  /// In no particular order; each id once.
  private(set) var items: [Item] = []
  private(set) var users: [User] = []
  private(set) var tags: [String] = []
  private var userNumbers: [String: Int] = [:]
  private var tagNumbers: [String: Int] = [:]
  private var ids: Set<HexID> = []

  /// Reads the contents of files, each a JSON array of items as `GET /items` answers it.
  ///
  /// An id that comes again is left out: the first file that has it counts.
  package init(files: [[UInt8]]) throws(Failure) {
    for (file, bytes) in files.enumerated() {
      let ranges: [Range<Int>]
      do {
        ranges = try JSON.elements(of: bytes)
      } catch {
        throw .notAnArray(file: file, error)
      }
      for (element, range) in ranges.enumerated() {
        guard add(bytes[range]) else { throw .notAnItem(file: file, element: element) }
      }
    }
  }

  /// False when a part of an item is missing or broken.
  private mutating func add(_ item: ArraySlice<UInt8>) -> Bool {
    do {
      return try addWhole(item)
    } catch {
      return false
    }
  }

  private mutating func addWhole(_ item: ArraySlice<UInt8>) throws(JSONError) -> Bool {
    guard let id = HexID(try text("id", of: item) ?? ""),
      let createdAt = CivilTime.seconds(try text("created_at", of: item) ?? ""),
      let updatedAt = CivilTime.seconds(try text("updated_at", of: item) ?? ""),
      let title = try text("title", of: item),
      let user = try JSON.member("user", of: item),
      let userID = try text("id", of: item[user]),
      let tagging = try JSON.member("tags", of: item)
    else { return false }
    guard ids.insert(id).inserted else { return true }
    let names = try JSON.elements(of: item[tagging]).map { (range) throws(JSONError) in
      try text("name", of: item[range])
    }
    items.append(
      Item(
        id: id, createdAt: createdAt, updatedAt: updatedAt, title: title,
        user: number(ofUser: userID, item[user]),
        tags: names.compactMap { $0.map { number(ofTag: $0) } },
        bytes: item))
    return true
  }

  private func text(_ key: String, of object: ArraySlice<UInt8>) throws(JSONError) -> String? {
    guard let range = try JSON.member(key, of: object) else { return nil }
    return String(decoding: try JSON.text(object[range]), as: UTF8.self)
  }

  private mutating func number(ofUser id: String, _ bytes: ArraySlice<UInt8>) -> Int {
    if let known = userNumbers[id] { return known }
    users.append(User(id: id, bytes: bytes))
    userNumbers[id] = users.count - 1
    return users.count - 1
  }

  private mutating func number(ofTag name: String) -> Int {
    if let known = tagNumbers[name] { return known }
    tags.append(name)
    tagNumbers[name] = tags.count - 1
    return tags.count - 1
  }
}
