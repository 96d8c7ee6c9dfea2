/// What each path answers.
extension Qiita {
  /// The answer before the fields that all have in common.
  mutating func content(
    of call: Call, fault: Fault?, number: Int, _ generator: inout SeededGenerator
  ) -> Answer {
    if var answer = fault?.replacement {
      answer.fault = fault
      return answer
    }
    if let face = options.face {
      return content(of: call, behind: face, fault: fault, number: number, &generator)
    }
    guard let route = Route(path: call.path) else { return .notFound }
    if route == .owner || route == .ownerItems, call.token == nil { return .unauthorized }
    var answer: Answer
    if let single = single(route) {
      answer = Answer(status: 200, fields: [Answer.jsonType], body: single)
    } else if let whole = wholeList(route) {
      answer = Answer(status: 200, fields: [Answer.jsonType], body: RailsJSON.array(whole))
    } else if let listing = listing(route, call) {
      answer = page(of: listing, route, call, fault, number, &generator)
    } else {
      return .notFound
    }
    answer.fault = fault
    answer.delivery = fault?.delivery(bodyBytes: answer.body.count) ?? .whole
    return answer
  }

  /// One page of a list, after the drift that is due.
  private mutating func page(
    of listing: World.Listing, _ route: Route, _ call: Call, _ fault: Fault?, _ number: Int,
    _ generator: inout SeededGenerator
  ) -> Answer {
    guard let paging = Paging(call) else { return .badRequest }
    for kind in options.drift.due() { world.drift(kind) }
    if case .list(let name) = listing {
      for _ in 0..<options.drift.dueMoves() { world.moveSomethingToTop(of: name) }
    }
    let (total, window) = world.window(
      of: listing, offset: paging.offset, count: paging.perPage, answer: number)
    var elements =
      route == .ownerItems
      ? window.map { world.itemJSON($0, views: 10 + $0 % 5_000) }
      : world.json(window, of: listing)
    if let fault { elements = fault.damaged(elements, &generator) }
    return Answer(
      status: 200,
      fields: [
        Answer.jsonType, ("link", paging.link(total: total, call: call)),
        ("total-count", String(total)),
      ],
      body: RailsJSON.array(elements))
  }

  /// The list a path means; nil when what it belongs to is not there.
  private func listing(_ route: Route, _ call: Call) -> World.Listing? {
    func number(_ user: String) -> Int? { world.userNumbers[user] }
    switch route {
    case .items: return .items(SearchQuery(call.parameter("query") ?? ""))
    case .userItems(let user): return number(user) == nil ? nil : .items(SearchQuery(user: user))
    case .ownerItems: return .items(SearchQuery(user: world.users[0].id))
    case .stocks(let user): return number(user).map { .list(.stocks(user: $0)) }
    case .followers(let user): return number(user).map { .list(.followers(user: $0)) }
    case .followees(let user): return number(user).map { .list(.followees(user: $0)) }
    case .followingTags(let user): return number(user).map { .list(.followingTags(user: $0)) }
    case .stockers(let item): return world.presentSerial(item).map { .list(.stockers(item: $0)) }
    case .tagItems(let tag): return world.tagNumber(tag).map { .list(.tag($0)) }
    case .users: return .users
    case .tags: return .tags(byName: call.parameter("sort") == "name")
    default: return nil
    }
  }

  /// The elements of a list without pages; nil for other paths and for an item that is not there.
  private func wholeList(_ route: Route) -> [[UInt8]]? {
    switch route {
    case .comments(let item): world.presentSerial(item).map { world.commentsJSON(of: $0) }
    case .likes(let item): world.presentSerial(item).map { world.likesJSON(of: $0) }
    default: nil
    }
  }

  /// One thing by its id; nil for other paths and for what is not there.
  private func single(_ route: Route) -> [UInt8]? {
    switch route {
    case .item(let id): world.presentSerial(id).map { world.itemJSON($0) }
    case .user(let id): world.userNumbers[id].map { world.userJSON($0) }
    case .tag(let name):
      world.tagNumber(name).map { world.tagJSON($0, items: world.itemsPerTag()[$0]) }
    case .comment(let id): world.commentJSON(id: id)
    case .owner: world.userJSON(0)
    default: nil
    }
  }
}
