import Bytes
import Feed
import HTTP
import Settings
import Support
import Synchronization
import Testing
import Upstream

@testable import Probe

/// An API on loopback that a test makes up: its way to the next page, and what it does with
/// parameters that it does not know.
struct StandIn: Sendable, CustomTestStringConvertible {
  /// What leads to the next page.
  enum Kind: String, CaseIterable, Sendable {
    case page, pageFromZero, fixedPage, offset, aligned, item, anchored, token, counted, link, href
    case relation, header, foreign, endless, ongoing, whole, offsetFromOne, end
  }

  /// What is done with parameters of other names.
  enum Manner: String, CaseIterable, Sendable {
    case ignores, filters, refuses
  }

  /// What is done where too many elements are asked for: few come, as many as unasked, or none.
  enum Many: String, CaseIterable, Sendable {
    case cut, unheard, refused
  }

  var kind: Kind
  var manner = Manner.ignores
  var count = 137
  /// Whether the number of all elements is told.
  var total = false
  /// Whether the oldest come first, of identities 1, 2, 3 and so on.
  var isDense = false
  /// How many were added after the first: at the top, or at the end where the oldest come first.
  var added = 0
  /// How many elements come unasked.
  var pageSize = 20
  /// The most elements that come.
  var most = 50
  /// What is done where more are asked for.
  var manyIs = Many.cut
  /// What says the place, where it is called otherwise than usual for the kind.
  var placeName: String?
  /// What says how many come, where it is called otherwise than usual for the kind.
  var sizeName: String?
  /// Whether that says how many are wanted in all: then nothing follows on so many.
  var countsAll = false
  /// The only type of its answers.
  var type = "application/json"
  /// A list that was moved there; all other paths are redirects to it.
  var path = "/api/items"
  /// What stands for `#` in `fields` and `members`.
  var callsLeft = 0
  /// What is sent besides with each answer.
  var fields: [String] = []
  /// Where each element says that it is shown by itself, before its identity.
  var ownPath: String?
  /// Whether it is.
  var showsOwn = true
  /// Members that stand in each answer besides.
  var members = ""
  /// The API's own description; nil where it has none.
  var document: String?

  var testDescription: String {
    "\(kind) \(manner) \(count)\(total ? " total" : "")\(isDense ? " dense" : "")"
      + " \(pageSize) \(manyIs)"
  }

  /// The identities, in the list's order.
  var ids: [String] {
    (0..<count).map { isDense ? "\($0 + 1)" : "\(90_000 + 3 * added - 3 * $0)" }
  }

  private static let sizeNames: [Kind: String] = [
    .page: "per_page", .pageFromZero: "size", .offset: "limit", .aligned: "limit", .item: "limit",
    .anchored: "limit", .token: "limit", .counted: "page_size", .link: "per_page",
    .href: "page_size", .relation: "_size", .header: "_limit", .foreign: "menge",
    .endless: "limit", .ongoing: "limit", .offsetFromOne: "limit",
    .end: "limit",
  ]
  private static let placeNames: [Kind: String] = [
    .page: "page", .pageFromZero: "page", .fixedPage: "page", .offset: "offset",
    .aligned: "offset", .item: "starting_after", .anchored: "after", .token: "cursor",
    .counted: "page_token", .link: "seek", .href: "page", .relation: "page", .header: "_token",
    .foreign: "seite", .endless: "offset", .ongoing: "offset", .offsetFromOne: "offset",
    .end: "from",
  ]

  private func body(_ ranks: Range<Int>, _ more: [String]) -> String {
    let elements = ranks.map { rank in
      let second = 1_765_300_000 + (isDense ? 60 * rank : 60 * (added - rank))
      let made = KeyForm.rfc3339.text(of: Int64(second) * 1_000)
      let own = ownPath.map { #","url":"\#($0)\#(ids[rank])""# } ?? ""
      return #"{"id":\#(ids[rank]),"title":"Item \#(rank)","created_at":"\#(made)"\#(own)}"#
    }
    let array = "[\(elements.joined(separator: ","))]"
    let members =
      ["\"items\":\(array)"] + more + (total ? ["\"total\":\(count)"] : [])
      + (self.members.isEmpty ? [] : [self.members])
    return "{\(members.joined(separator: ","))}"
  }

  /// The status, the fields and the body of an answer.
  func answer(path: String, _ query: String) -> (Int, [String], String) {
    if path == self.path {
      let (status, more, body) = answer(Parameter.all(of: query))
      let left = "\(callsLeft)"
      return (
        status, fields.map { $0.replacing("#", with: left) } + more, body.replacing("#", with: left)
      )
    }
    if path == "/openapi.json" { return document.map { (200, [], $0) } ?? (404, [], "{}") }
    if showsOwn, let ownPath, path.hasPrefix(ownPath) {
      return (200, [], #"{"id":\#(path.dropFirst(ownPath.utf8.count))}"#)
    }
    return (301, ["location: \(self.path)"], "")
  }

  private func answer(_ given: [Parameter]) -> (Int, [String], String) {
    let sizeName = sizeName ?? StandIn.sizeNames[kind]
    let placeName = placeName ?? StandIn.placeNames[kind]
    if given.contains(where: { ![sizeName, placeName].contains($0.name) }) {
      if manner == .filters { return (200, [], body(0..<0, [])) }
      if manner == .refuses { return (400, [], #"{"error":"unknown parameter"}"#) }
    }
    let value = { (name: String?) in given.last { $0.name == name }?.value }
    guard kind != .whole else { return (200, [], body(0..<count, [])) }
    let asked = value(sizeName).map { Int($0) ?? 0 } ?? pageSize
    guard asked > 0, asked <= most || manyIs != .refused else { return (400, [], "{}") }
    let few = asked <= most ? asked : manyIs == .cut ? most : pageSize
    let size = kind == .fixedPage ? pageSize : countsAll ? min(pageSize, few) : few
    guard let begin = begin(value(placeName), size) else { return (400, [], "{}") }
    let end = min(count, begin + size)
    let isCounted = countsAll && value(sizeName) != nil
    let isLast = end >= count || isCounted && asked <= size
    let rest = "\(sizeName ?? "n")=\(isCounted ? asked - size : size)&"
    let target = "\(path)?\(countsAll && !isCounted ? "" : rest)\(placeName ?? "")="
    let next = isLast ? nil : place(end, size)
    let relation = { (next: String) in #"{"rel":"next","href":"\#(target)\#(next)"}"# }
    let more: [String] =
      switch kind {
      case .item, .anchored: ["\"has_more\":\(!isLast)"]
      case .token: ["\"next_cursor\":" + (next.map { "\"\($0)\"" } ?? "null")]
      case .end: ["\"end\":" + (next.map { "\"\($0)\"" } ?? "null")]
      case .counted: ["\"next_page_token\":\"\(next ?? "")\""]
      case .ongoing: ["\"next\":\"\(target)\(begin + size)\""]
      case .href: ["\"next\":" + (next.map { "\"\(target)\($0)\"" } ?? "null")]
      case .relation:
        [#""links":[{"rel":"self","href":"/x"},\#(next.map(relation) ?? "{}")]"#]
      default: []
      }
    var fields: [String] = []
    if kind == .link, let next { fields.append("link: <\(target)\(next)>; rel=\"next\"") }
    if kind == .endless { fields.append("link: <\(path)?page=2>; rel=\"next\"") }
    if kind == .header, let next { fields.append("next-page: \(target)\(next)") }
    return (200, fields, body(min(begin, count)..<max(end, min(begin, count)), more))
  }

  /// What names the place of a rank.
  func place(_ rank: Int, _ size: Int) -> String {
    switch kind {
    case .counted: Base64URL.padded(Array(#"{"offset":\#(rank)}"#.utf8))
    case .token, .link, .header, .end: Base64URL.padded(Array("below \(ids[rank - 1])".utf8))
    case .item, .anchored: ids[rank - 1]
    default: "\(rank / size + 1)"
    }
  }

  /// The rank that a place means; nil where it means none.
  private func begin(_ text: String?, _ size: Int) -> Int? {
    guard let text else { return 0 }
    let decoded = Base64URL.bytes(Array(text.replacing("=", with: "").utf8))
      .map { String(decoding: $0, as: UTF8.self) }
    switch kind {
    case .page, .fixedPage, .href, .relation, .foreign:
      return Int(text).flatMap { $0 > 0 ? ($0 - 1) * size : nil }
    case .pageFromZero: return Int(text).map { $0 * size }
    case .offset, .endless, .ongoing: return Int(text)
    case .offsetFromOne: return Int(text).flatMap { $0 > 0 ? $0 - 1 : nil }
    case .aligned: return Int(text).map { $0 / size * size }
    case .item:
      return Int(text).flatMap { id in ids.firstIndex { Int($0) ?? 0 < id } ?? count }
    case .anchored: return ids.firstIndex(of: text).map { $0 + 1 }
    case .token, .link, .header, .end:
      return decoded.flatMap { text in
        ids.firstIndex { "below \($0)" == text }.map { $0 + 1 }
      }
    case .counted: return decoded.flatMap { Int($0.filter(\.isNumber)) }
    case .whole: return 0
    }
  }
}

/// A stand-in that listens. While it moves, an element is added before every second call.
final class ListeningStandIn: Sendable {
  let port: Int
  private let server: Server
  private let state: State

  private final class State: Sendable {
    let standIn: Mutex<StandIn>
    let isMoving: Bool
    let isResting = Mutex(false)
    let callCount = Mutex(0)

    init(_ standIn: StandIn, isMoving: Bool) {
      self.standIn = Mutex(standIn)
      self.isMoving = isMoving
    }

    /// The list for one more call.
    func called() -> StandIn {
      let number = callCount.withLock { count in
        count += 1
        return count
      }
      standIn.withLock { $0.callsLeft = 100 - number }
      let step = isMoving && !isResting.withLock { $0 } && number % 2 == 0 ? 1 : 0
      return standIn.withLock { standIn in
        standIn.added += step
        standIn.count += step
        return standIn
      }
    }
  }

  /// What a call is refused with, by its number from 1 on: a status and fields.
  typealias Refusals = @Sendable (_ call: Int) -> (status: Int, fields: [String])?

  init(
    _ standIn: StandIn, isMoving: Bool = false, refusing: @escaping Refusals = { _ in nil }
  ) throws {
    let state = State(standIn, isMoving: isMoving)
    self.state = state
    server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      let standIn = state.called()
      let number = state.callCount.withLock { $0 }
      let (status, lines, body): (Int, [String], String)
      if let refusal = state.isResting.withLock({ $0 ? nil : refusing(number) }) {
        (status, lines, body) = (refusal.status, refusal.fields, "{}")
      } else {
        let takes = request.fields["accept"] ?? "*/*"
        (status, lines, body) =
          takes.contains("*/*") || takes.contains(standIn.type)
          ? standIn.answer(path: request.path, request.query ?? "") : (406, [], "{}")
      }
      var fields = Fields()
      fields.append(named: "content-type", "application/json")
      for line in lines {
        let halves = line.split(separator: ": ", maxSplits: 1).map(String.init)
        fields.append(named: halves[0].lowercased(), halves[1])
      }
      responder.send(Response(status: Status(status), fields: fields, body: Array(body.utf8)))
    }
    port = try server.start().port
  }

  var callCount: Int { state.callCount.withLock { $0 } }

  /// The identities of the list, which stands still and refuses nothing from now on.
  func rest() -> [String] {
    state.isResting.withLock { $0 = true }
    return state.standIn.withLock(\.ids)
  }

  func stop() async { await server.stop(drain: .zero) }
}
