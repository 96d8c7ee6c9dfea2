import Bytes
import JSONBytes

/// The columns of a table row, for an item of any feed: what its members' names and values suggest.
struct TableRow {
  /// `id`, or where there is none `user.id`, else the first member that is named as an identity:
  /// a text, or a number in its own characters.
  private(set) var identity: String?
  /// `created_at`, else the first time: RFC 3339, or seconds or milliseconds since 1970 under a
  /// name that speaks of time.
  private(set) var time: String?
  /// `title` or `name`, else the first text that is not one of the others, no time and no address.
  private(set) var text: String?

  /// How deep times and texts are looked for: 3 finds `commit.author.date`.
  private static let depthMax = 3
  /// Names by which a member is an identity where none is named `id`.
  private static let identities: Set = [
    "_id", "key", "uuid", "guid", "sha", "objectid", "slug", "ulid", "code",
  ]
  /// Names of members that say what an item is about, the plainest first.
  private static let titles = [
    "title", "name", "headline", "subject", "message", "summary", "text",
  ]
  /// Parts of the names of members that are times.
  private static let times = [
    "time", "date", "creat", "publish", "updat", "modif", "post", "stamp",
  ]

  /// A member at any depth.
  private struct Found {
    let name: String
    let value: JSONTree
    /// 1 for the item's own members.
    let depth: Int
  }

  /// What an item has of it; nothing of what is no object.
  init(of item: ArraySlice<UInt8>) {
    // What is broken is shown as what it lacks.
    guard let tree = try? JSONTree(json: Array(item)), tree.members != nil else { return }
    let all = TableRow.members(of: tree)
    let own = all.filter { $0.depth == 1 }
    let named = own.first {
      $0.value.scalar != nil && TableRow.identities.contains($0.name.lowercased())
    }
    let identity = tree["id"]?.scalar ?? tree.value(at: ["user", "id"])?.scalar
    self.identity = identity ?? named?.value.scalar
    let isNamed = identity == nil ? named?.name : "id"
    if case .text(let text) = tree["created_at"] {
      time = text
    } else {
      time = all.lazy.compactMap(TableRow.time).first
    }
    let depths = (1...TableRow.depthMax).map { depth in
      all.filter {
        $0.depth == depth && !($0.depth == 1 && $0.name == isNamed) && TableRow.isText($0)
      }
    }
    // A person behind a like is its identity, and says nothing else of it.
    let hasOwnIdentity = tree["id"]?.scalar != nil || named != nil
    for texts in hasOwnIdentity ? depths : [depths[0]] {
      let title = TableRow.titles.lazy.compactMap { name in texts.first { $0.name == name } }.first
      guard let found = title ?? texts.first else { continue }
      text = found.value.scalar
      return
    }
  }

  /// The members of an object and of objects in it, those further out first.
  private static func members(of tree: JSONTree) -> [Found] {
    var all: [Found] = []
    var level = [tree]
    for depth in 1...depthMax {
      let members = level.flatMap { $0.members ?? [] }
      all += members.map { Found(name: $0.name, value: $0.value, depth: depth) }
      level = members.map(\.value)
    }
    return all
  }

  /// Whether it is a text that is for people: no time, no address, no identity of something else.
  private static func isText(_ member: Found) -> Bool {
    guard case .text(let text) = member.value else { return false }
    let name = member.name.lowercased()
    return !text.isEmpty && !text.contains("://") && RFC3339.parseTimestamp(Array(text.utf8)) == nil
      && !name.hasSuffix("id") && !identities.contains(name)
  }

  /// The time that a member is; nil where it is none.
  private static func time(_ member: Found) -> String? {
    switch member.value {
    case .text(let text):
      return RFC3339.parseTimestamp(Array(text.utf8)) == nil ? nil : text
    case .number(let digits):
      let name = member.name.lowercased()
      guard let number = Int64(digits),
        name == "ts" || name.hasSuffix("_at") || member.name.hasSuffix("At")
          || times.contains(where: name.contains)
      else { return nil }
      // From 2001 to 2096: what is less or more counts something else.
      let seconds: ClosedRange<Int64> = 1_000_000_000...4_000_000_000
      if seconds.contains(number) { return RFC3339.text(seconds: number) }
      return seconds.contains(number / 1000) ? RFC3339.text(seconds: number / 1000) : nil
    default: return nil
    }
  }
}
