/// Another API in front of the same world: one list, `/items`, newest first, asked for in one of
/// five ways.
///
///     GET /items?offset=40&size=20   →   {"items":[…],"total":5000}
///
/// `size` is 1 to 100, 20 where it is not given, and a larger one is taken as 100. `/items/ID` is
/// one item by itself. Header fields, budget and faults are Qiita's.
package struct Face: Hashable, Sendable {
  /// What says where a page begins.
  package enum Addressing: String, CaseIterable, Sendable {
    /// `page`, from 1 on.
    case page
    /// `offset`, from 0 on.
    case offset
    /// `after`: the identity of the item above, which has to be there.
    case item
    /// `before`: an instant (RFC 3339) that all items are older than.
    case time
    /// `token`: what the page above gave at `next`.
    case next
  }

  /// How the answers tell the number of all items.
  package enum Total: String, CaseIterable, Sendable {
    /// Not at all.
    case none
    /// As it is.
    case exact
    /// As it was at the answer before.
    case lagging
  }

  /// What says where a page begins.
  package var addressing: Addressing
  /// Whether an offset is rounded down to a multiple of the size, and a token is only the number of
  /// the items above it.
  package var isCoarse = false
  /// The size of every page; nil where `size` says it.
  package var pageSize: Int?
  /// How the answers tell the number of all items.
  package var total = Total.exact
  /// How many items are shown in all, where an instant is no way past them; nil for all there are.
  package var cap: Int?

  /// The largest page, and the one of a call that names no size.
  static let sizeMax = 100
  static let sizeDefault = 20

  /// A face that shows everything, with an exact total.
  package init(_ addressing: Addressing) {
    self.addressing = addressing
  }

  /// The size of the page a call asks for; nil where it is no whole number from 1 on.
  func size(_ call: Call) -> Int? {
    if let pageSize { return pageSize }
    guard let text = call.parameter("size") else { return Face.sizeDefault }
    return Int(text).flatMap { $0 >= 1 ? min($0, Face.sizeMax) : nil }
  }

  /// Where the page begins that a call asks for, counted from the newest item; nil where the call
  /// names no place.
  func offset(_ call: Call, size: Int, in world: World) -> Int? {
    switch addressing {
    case .page:
      let page = Int(call.parameter("page") ?? "1") ?? 0
      let (offset, isTooFar) = (page - 1).multipliedReportingOverflow(by: size)
      return page >= 1 && !isTooFar ? offset : nil
    case .offset:
      return Int(call.parameter("offset") ?? "0")
        .flatMap { $0 >= 0 ? (isCoarse ? $0 / size * size : $0) : nil }
    case .item:
      guard let id = call.parameter("after") else { return 0 }
      return world.rank(ofItem: id).map { $0 + 1 }
    case .time:
      guard let text = call.parameter("before") else { return 0 }
      return CivilTime.milliseconds(text).map(world.firstRank(olderThanMilliseconds:))
    case .next:
      guard let token = call.parameter("token") else { return 0 }
      return isCoarse ? Int(token).map { max(0, $0) } : world.firstRank(below: token)
    }
  }
}

extension Qiita {
  /// What a face answers.
  mutating func content(
    of call: Call, behind face: Face, fault: Fault?, number: Int,
    _ generator: inout SeededGenerator
  ) -> Answer {
    let words = call.path.split(separator: "/", omittingEmptySubsequences: false)
      .map { percentDecoded($0) }
    var answer: Answer
    if words == ["", "items"] {
      answer = page(of: call, behind: face, fault, number, &generator)
    } else if words.count == 3, words[1] == "items", let serial = world.presentSerial(words[2]) {
      answer = Answer(status: 200, fields: [Answer.jsonType], body: world.itemJSON(serial))
    } else {
      return .notFound
    }
    answer.fault = fault
    answer.delivery = fault?.delivery(bodyBytes: answer.body.count) ?? .whole
    return answer
  }

  private mutating func page(
    of call: Call, behind face: Face, _ fault: Fault?, _ number: Int,
    _ generator: inout SeededGenerator
  ) -> Answer {
    let totalBefore = world.itemCount
    for kind in options.drift.due() { world.drift(kind) }
    // What is asked for by an instant is a list of its own, which begins there.
    let shown = face.addressing == .time ? world.itemCount : min(face.cap ?? .max, world.itemCount)
    guard let size = face.size(call), let offset = face.offset(call, size: size, in: world)
    else { return .badRequest }
    let isNumbered = face.addressing == .page || face.addressing == .offset
    if isNumbered, let cap = face.cap, offset >= cap { return .beyond }
    let count = max(0, min(size, shown - offset))
    let (_, window) = world.window(
      of: .items(SearchQuery("")), offset: offset, count: count, answer: number)
    var elements = world.json(window, of: .items(SearchQuery("")))
    if let fault { elements = fault.damaged(elements, &generator) }
    var members: [(key: String, value: RailsJSON.Value)] = [("items", .array(elements))]
    switch face.total {
    case .none: break
    case .exact: members.append(("total", .number(world.itemCount)))
    case .lagging:
      members.append(("total", .number(laggingTotal ?? totalBefore)))
      laggingTotal = world.itemCount
    }
    if face.addressing == .next {
      let isLast = offset + window.count >= shown
      let token = window.last.map { last in
        face.isCoarse ? "\(offset + window.count)" : world.token(below: last)
      }
      members.append(("next", isLast ? .null : token.map { .text($0) } ?? .null))
    }
    return Answer(
      status: 200, fields: [Answer.jsonType], body: RailsJSON.object(members))
  }
}
