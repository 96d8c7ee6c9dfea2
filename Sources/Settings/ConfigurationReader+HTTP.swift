import Bytes
import Feed
import JSONBytes
import Upstream

/// Sources of kind `http`: a preset, over it what is given; over the source's pages and defaults
/// each feed's.
extension ConfigurationReader {
  /// The most feeds of one source.
  static let feedsMax = 200

  mutating func http(
    _ value: JSONTree, at place: String
  ) -> Configuration.Source.HTTP? {
    let count = problems.count
    let given = members(of: value, at: place, allowed: ["kind"] + Configuration.httpKeys)
    var tree = JSONTree.object(given)
    if let name = given.first(where: { $0.name == "preset" })?.value, name != .null {
      guard case .text(let name) = name, let preset = Presets.value(of: name) else {
        add("\(place).preset", "must be one of \(Presets.names.joined(separator: ", "))")
        return nil
      }
      let auth = given.first { $0.name == "auth" }
      let kept = (preset.members ?? []).filter { $0.name != "auth" || auth == nil }
      tree = JSONTree.object(kept).overlaid(by: tree)
    }
    let members = tree.members ?? []
    var http = Configuration.Source.HTTP(recipe: Recipe(baseURL: .qiita))
    if !members.contains(where: { $0.name == "baseURL" }) {
      add("\(place).baseURL", "is missing: it says where the API begins")
    }
    set(members, of: &http, Configuration.httpFields, at: place)
    http.policy.allowance = http.recipe.rate.allowance
    if http.recipe.rate.calls == nil { http.policy.allowance.assumedFor = "\(place).rate" }
    let pages = members.first { $0.name == "pages" }?.value ?? .object([])
    let before = problems.count
    _ = ConfigurationShape.object(Configuration.pageFields, PageRecipe())
      .read(pages.withoutNulls, "\(place).pages", &problems)
    let isRead = problems.count == before
    let defaults = members.first { $0.name == "defaults" }?.value ?? .object([])
    let allowed = Configuration.listFields.map(\.name).filter { $0 != "pages" }
    _ = self.members(of: defaults, at: "\(place).defaults", allowed: allowed)
    let feeds = members.first { $0.name == "feeds" }?.value ?? .object([])
    let names = self.members(of: feeds, at: "\(place).feeds")
    if names.isEmpty, http.raw == nil {
      add("\(place).feeds", "is missing or empty: it says which lists there are")
    }
    if names.count > Self.feedsMax { add("\(place).feeds", "must be at most \(Self.feedsMax)") }
    for member in names {
      let place = "\(place).feeds[\(JSONTree.quoted(String(member.name.prefix(128))))]"
      let list = list(member, over: isRead ? pages : nil, and: defaults, at: place)
      if let list { http.recipe.lists.append(list) }
    }
    check(http.recipe, at: place)
    return problems.count == count ? http : nil
  }

  /// A list over its source's pages; nil where these cannot be read, and so say nothing of it.
  private mutating func list(
    _ member: JSONTree.Member, over pages: JSONTree?, and defaults: JSONTree, at place: String
  ) -> ListRecipe? {
    let words = member.name.split(separator: "/", omittingEmptySubsequences: false)
    let isName = { (word: Substring) in !word.isEmpty && word.utf8.allSatisfy(\.isWord) }
    let isPattern =
      words.count <= 12
      && words.allSatisfy { word in
        word.hasPrefix(":")
          ? isName(word.dropFirst())
          : !word.isEmpty && word != "." && word != ".."
            && word.utf8.allSatisfy { $0.isWord || ".-~".utf8.contains($0) }
      } && words.last?.hasPrefix(":") == false
    guard isPattern else {
      add(
        place,
        "a feed's name is words of a-z, A-Z, 0-9, _, -, . and ~ between slashes; one that begins "
          + "with : stands for any, and the last does not")
      return nil
    }
    let ours = members(
      of: member.value, at: place, allowed: Configuration.listFields.map(\.name))
    let given = defaults.overlaid(by: .object(ours)).withoutNulls.members ?? []
    let own = given.first { $0.name == "pages" }?.value ?? .object([])
    var tree = given.filter { $0.name != "pages" }
    guard own.members != nil else {
      add("\(place).pages", "must be an object")
      return nil
    }
    tree.append(.init("pages", (pages ?? .object([])).overlaid(by: own).withoutNulls))
    let count = problems.count
    var list = ListRecipe(path: member.name)
    set(tree, of: &list, Configuration.listFields, at: place)
    guard problems.count == count else { return nil }
    check(list, at: place)
    if pages != nil, list.order != .whole { checkJoins(of: list.pages, at: "\(place).pages") }
    list.fingerprint = Configuration.fingerprint(of: list)
    return list
  }

  /// Names of parameters that are Tsugi's own.
  static let ownParameters: Set = [
    "limit", "startAfter", "startAt", "endBefore", "endAt", "limitToLast", "fields", "refresh",
    "wait", "since", "gap", "learned",
  ]

  /// What keys of a list must have of one another.
  private mutating func check(_ list: ListRecipe, at place: String) {
    let pages = list.pages
    let variables = Set(list.variables)
    if variables.count < list.variables.count { add(place, "has a variable twice") }
    let query = list.query.flatMap { parameter in
      parameter.value.names.map {
        (place: ConfigurationReader.place(parameter.name, in: "\(place).query"), name: $0)
      }
    }
    let path = (list.upstreamPath?.names ?? []).map { (place: "\(place).path", name: $0) }
    for (place, name) in path + query where !variables.contains(name) {
      add(place, "{\(name)} is no variable of the feed's name")
    }
    let sent = [pages.atName, pages.size, pages.inside].compactMap(\.self)
    for allowed in list.allow {
      if Self.ownParameters.contains(allowed.name) || sent.contains(allowed.upstreamName) {
        add("\(place).allow", "\(allowed.name) is a parameter of paging, or Tsugi's own")
      }
    }
    let names = variables.union(list.allow.map(\.name))
    for name in list.values.keys.sorted() where !names.contains(name) {
      add("\(place).values", "\(name) is no variable and no allowed parameter of the feed")
    }
    let inside = [("item", !list.item.keys.isEmpty), ("order", list.key != nil)]
    let read = inside + [("updated", list.updated != nil), ("one", list.one != nil)]
    for (key, isSet) in read where isSet && list.namesItself {
      add("\(place).\(key)", "needs an id: an element without one is a text or a number")
    }
    checkPlaces(of: list, at: place)
    if let past = pages.past {
      let place = "\(place).pages.past"
      if past.at.isEmpty { add("\(place).at", "is missing: it says up to which key") }
      if list.key == nil { add(place, "needs an order by a field, such as -created_at") }
      if pages.by != .page && pages.by != .offset || pages.deepest == nil && pages.reach == nil {
        add(place, "needs pages by page or offset that end at deepest or reach")
      }
      if past.grain != .key, list.time == .number {
        add("\(place).grain", "must be key: a number is not a time")
      }
    }
    if let value = pages.value, value != list.id, value != list.key || pages.isExisting,
      value.inside(list.item) == nil
    {
      add("\(place).pages.value", "must be the id, the order's field, or inside of item")
    }
  }

  /// What must be said of where pages begin.
  private mutating func checkPlaces(of list: ListRecipe, at place: String) {
    let pages = list.pages
    switch pages.by {
    case .item, .time:
      if pages.at == nil {
        add("\(place).pages.at", "is missing: pages by \(pages.by.rawValue) need it")
      }
    case .page, .offset, .next: break
    }
    if pages.by == .time, list.key == nil {
      add("\(place).pages.by", "time needs an order by a field, such as -created_at")
    }
    if let size = pages.size, size == pages.atName {
      add("\(place).pages.size", "must be another parameter than at")
    }
    for (key, isSet, by) in [
      ("aligned", pages.isAligned, PageRecipe.Addressing.offset),
      ("existing", pages.isExisting, .item), ("counted", pages.isCounted, .next),
    ] where isSet && pages.by != by {
      add("\(place).pages.\(key)", "needs pages by \(by.rawValue)")
    }
    if pages.writesSize, pages.by != .page, pages.by != .offset {
      add("\(place).pages.write", "has {size}, which needs pages by page or offset")
    }
    if pages.writesSize, pages.size != nil {
      add("\(place).pages.size", "must be left out: write has {size}")
    }
    if pages.by == .next, pages.next == .nowhere {
      add("\(place).pages.next", "must be a place: pages by next begin where it says")
    }
  }

  /// What pages that nothing joins must say.
  private mutating func checkJoins(of pages: PageRecipe, at place: String) {
    guard pages.accept != .none else { return }
    if pages.showsNothingAgain, !pages.joinsByTotal {
      add(
        "\(place).accept",
        "must be none: pages of one size whose total is not exact prove nothing")
    }
    if pages.by == .next, pages.isCounted {
      add("\(place).accept", "must be none: a next that counts proves nothing")
    }
  }

  /// What lists must have of one another.
  private mutating func check(_ recipe: Recipe, at place: String) {
    var shapes: [String: String] = [:]
    for list in recipe.lists {
      let shape = list.path.split(separator: "/").map { $0.hasPrefix(":") ? ":" : $0 }
        .joined(separator: "/")
      if let other = shapes.updateValue(list.path, forKey: shape) {
        add("\(place).feeds", "\(other) and \(list.path) are the same paths")
      }
    }
    warn(of: recipe.lists, at: "\(place).pages")
  }

  /// Warns of keys of pages that no list with them heeds, and of pages that are too small.
  private mutating func warn(of lists: [ListRecipe], at place: String) {
    let keys: [(name: String, isSet: (PageRecipe) -> Bool, ways: Set<PageRecipe.Addressing>)] = [
      ("value", { $0.value != nil }, [.item, .time]),
      ("write", { $0.write != nil }, [.page, .offset, .item, .time]),
      ("includes", { $0.includes }, [.item, .time]), ("inside", { $0.inside != nil }, [.time]),
      ("start", { $0.start != nil }, [.next]), ("first", { $0.first != nil }, [.page, .offset]),
    ]
    let pages = lists.map(\.pages)
    for key in keys where !pages.contains(where: { key.isSet($0) && key.ways.contains($0.by) }) {
      guard let idle = pages.first(where: key.isSet) else { continue }
      warn("\(place).\(key.name)", "has no effect: pages by \(idle.by.rawValue)")
    }
    if pages.contains(where: \.isSparse) {
      warn(
        "\(place).max",
        "pages of fewer than \(PageRecipe.sizedMin) elements do not meet everywhere: "
          + "say that the total is exact, or accept none")
    }
    if let idle = pages.first(where: \.isExact), !pages.contains(where: { $0.total != nil }) {
      warn("\(place).exact", "has no effect: pages by \(idle.by.rawValue) without total")
    }
  }
}

extension JSONTree {
  /// The value with another over it: objects key by key, anything else whole.
  func overlaid(by other: JSONTree) -> JSONTree {
    guard let mine = members, let theirs = other.members else { return other }
    let names = Set(mine.map(\.name))
    var members = mine.map { member in
      let over = theirs.first { $0.name == member.name }
      return over.map { Member(member.name, member.value.overlaid(by: $0.value)) } ?? member
    }
    members += theirs.filter { !names.contains($0.name) }
    return .object(members)
  }

  /// An object without the keys that are null: they are as if they were not there.
  var withoutNulls: JSONTree {
    guard let members else { return self }
    return .object(members.filter { $0.value != .null })
  }
}

extension Configuration.Source.HTTP {
  /// It as its operator would write it in full.
  var written: JSONTree {
    let fields = Configuration.httpFields.map {
      JSONTree.Member($0.name, $0.value(self))
    }
    let feeds = recipe.lists.map { list in
      JSONTree.Member(
        list.path, .object(Configuration.listFields.map { .init($0.name, $0.value(list)) }))
    }
    return .object(fields.prefix(5) + [.init("feeds", .object(feeds))] + fields.dropFirst(5))
  }
}
