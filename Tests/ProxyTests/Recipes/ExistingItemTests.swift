import HTTP
import Testing

/// Lists whose pages begin below an item that must exist upstream.
@Suite(.serialized) struct ExistingItemTests {
  /// What orders the 120 items: a number between two of these names nothing.
  private static let numbers = (1...120).reversed().map { $0 * 7 }

  /// 20 elements below the one that `after` names, and a status where that does not exist.
  private static func page(
    _ call: RuledUpstream.Call, without deleted: [Int] = [], isShown: Bool = false,
    status: Int = 400
  ) -> Response {
    let ids = numbers.filter { !deleted.contains($0) }
    var from = 0
    if call.parameters["after"] != nil {
      guard let place = ids.firstIndex(of: call.number("after", or: 0)) else {
        return Response(json: #"{"error":"no such item"}"#, status: Status(status))
      }
      from = isShown ? place : place + 1
    }
    let shown = ids[from..<min(ids.count, from + call.number("n", or: 20))]
    let items = shown.map { #"{"id":"i\#($0)","n":\#($0),"at":\#($0 / 350)}"# }
      .joined(separator: ",")
    return Response(
      json: #"{"items":[\#(items)],"more":\#(from + shown.count < ids.count)}"#)
  }

  private static func read(
    by order: String = #""-n","time":"number""#, isShown: Bool,
    answering rule: @escaping @Sendable (RuledUpstream.Call) -> Response
  ) async throws -> ReadList {
    try await ReadList(
      feed: #""items":"items","order":\#(order)"#,
      pages: #""by":"item","at":"after","value":"n","existing":true,"includes":\#(isShown),"#
        + #""size":"n","max":20,"more":"more""#,
      limit: 20, answering: rule)
  }

  @Test(arguments: [false, true])
  func eachPlaceIsNamedByAnItemThatExists(isShown: Bool) async throws {
    let list = try await Self.read(isShown: isShown) { Self.page($0, isShown: isShown) }
    #expect(list.ids == Self.numbers.map { "i\($0)" })
    #expect(list.endReason == "end" && list.proof == "value")
    #expect(list.refusals.isEmpty)
    #expect(list.calls.count <= 8)
    let named = list.calls.dropFirst().map { $0.number("after", or: 0) }
    #expect(Set(named).isSubset(of: Self.numbers))
  }

  /// The last items of the first page are deleted once that has come.
  @Test(arguments: [(400, 1), (404, 4), (410, 15), (422, 20)], [false, true])
  func afterARefusalAnotherKnownItemNamesThePlace(
    refusal: (status: Int, deleted: Int), isShown: Bool
  ) async throws {
    let deleted = Self.numbers.prefix(20).suffix(refusal.deleted)
    let list = try await Self.read(isShown: isShown) { call in
      Self.page(
        call, without: call.number == 0 ? [] : Array(deleted), isShown: isShown,
        status: refusal.status)
    }
    let gone = Set(deleted.map { "i\($0)" })
    let all = Self.numbers.map { "i\($0)" }
    #expect(list.refusals.isEmpty)
    #expect(list.ids.filter { !gone.contains($0) } == all.filter { !gone.contains($0) })
    #expect(list.endReason == "end" && list.proof == "value")
    #expect(list.calls.count <= 13)
  }

  /// 49, 50 and 21 items of one second each.
  @Test(arguments: [false, true])
  func aSecondThatIsLargerThanAPageIsReadByItsItems(isShown: Bool) async throws {
    let list = try await Self.read(by: #""-at","time":"seconds""#, isShown: isShown) {
      Self.page($0, isShown: isShown)
    }
    #expect(Set(list.ids) == Set(Self.numbers.map { "i\($0)" }))
    #expect(list.ids.count == Self.numbers.count)
    #expect(list.endReason == "end" && list.proof == "upstream")
    #expect(list.refusals.isEmpty)
  }
}
