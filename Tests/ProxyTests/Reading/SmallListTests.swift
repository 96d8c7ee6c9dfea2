import HTTP
import Testing

/// Lists of which nothing but the size of an answer says whether more follows.
@Suite(.serialized) struct SmallListTests {
  /// The ways in which places are named, as recipes say it.
  static let ways = [
    #""by":"page""#, #""by":"offset""#, #""by":"item","at":"after""#,
    #""by":"item","at":"after","includes":true"#,
    #""by":"time","at":"until","includes":true"#,
  ]

  /// A list of so many, at most `perPageMax` of them in one answer.
  private static func read(
    _ count: Int, by way: String, order: String, perPageMax: Int = 100, rest: String = "",
    pages: String = "", max: Int = 100, beyond: Status = 200, namesNext: Bool = false
  ) async throws -> ReadList {
    let time = order == "-at" ? #","time":"seconds""# : ""
    return try await ReadList(
      feed: #""items":"items","order":"\#(order)"\#(time)"#,
      pages: way + #","size":"size","max":\#(max)"# + pages
    ) { call in
      let size = min(perPageMax, call.number("size", or: 100))
      let from = min(count, call.first(inPagesOf: size, isShown: way.contains("includes")))
      let shown = from..<min(count, from + size)
      let hasLink = namesNext && !shown.isEmpty
      return Response(
        json: Response.elements(shown, rest), status: shown.isEmpty && from > 0 ? beyond : 200,
        hasLink ? [("link", "</items?x=2>; rel=\"next\"")] : [])
    }
  }

  /// One call shows it, and another one that nothing follows.
  @Test(arguments: ways, [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 40])
  func aSmallListEnds(way: String, count: Int) async throws {
    for order in ["observed", "-at"] where order == "-at" || !way.contains("time") {
      let list = try await Self.read(count, by: way, order: order)
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(order)")
      #expect(list.proof == (order == "-at" ? "value" : "sight") && list.doubts.isEmpty)
      #expect(list.calls.count == 2, "\(order): \(list.calls.map(\.parameters))")
    }
  }

  /// Only a page that has nothing names no next.
  @Test(arguments: ways, [1, 2, 5, 9, 10, 18, 20, 21, 40])
  func aListEndsWhoseLastPageNamesANext(way: String, count: Int) async throws {
    for order in ["observed", "-at"] where order == "-at" || !way.contains("time") {
      let list = try await Self.read(
        count, by: way, order: order, perPageMax: 20, max: 20, namesNext: true)
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(order)")
      #expect(list.calls.count <= 4 + count / 18, "\(list.calls.map(\.parameters))")
    }
  }

  /// A few elements on the last page of one size, which nothing ties to the pages above, are read
  /// as well.
  @Test(arguments: [#""by":"page","accept":"none""#, #""by":"offset""#], [20, 21, 22, 23, 24, 43])
  func aLastPageOfOneSizeHasAFewElements(way: String, count: Int) async throws {
    for order in ["", #","order":"-at","time":"seconds""#] {
      let list = try await ReadList(
        feed: #""items":"items""# + order, pages: way + #","max":20,"short":true"#, limit: 20
      ) { call in
        let from = min(count, call.first(inPagesOf: 20))
        return Response(json: Response.elements(from..<min(count, from + 20)))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(order)")
      #expect(list.calls.count <= 4 + count / 18, "\(list.calls.map(\.parameters))")
    }
  }

  /// Where the list becomes shorter meanwhile, nothing is where its next page was: what stands
  /// there now is above it.
  @Test(arguments: [#""by":"page""#, #""by":"offset""#], [1, 2, 3, 4])
  func whatHasMovedUpIsNotTakenForGone(way: String, calls: Int) async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: way + #","size":"size","max":100"#, limit: 20
    ) { call in
      let size = min(30, call.number("size", or: 100))
      let gone = call.number < calls ? 0 : 29
      let from = min(56, call.first(inPagesOf: size) + gone)
      let shown = from..<min(56, from + size)
      return Response(
        json: Response.elements(shown),
        shown.isEmpty ? [] : [("link", "</items?x=2>; rel=\"next\"")])
    }
    #expect(list.ids.suffix(27) == (29..<56).map { "i\($0)" }, "\(list.calls.map(\.parameters))")
    #expect(list.endReason == "end" && list.refusals.isEmpty)
  }

  @Test(arguments: ways, [#","total":4"#, #","more":false"#])
  func aSignOfTheEndSparesACall(way: String, rest: String) async throws {
    let list = try await Self.read(
      4, by: way, order: "-at", rest: rest, pages: #","total":"total","more":"more""#)
    #expect(list.ids.count == 4 && list.endReason == "end" && list.calls.count == 1)
  }

  /// Many APIs refuse a place beyond the end.
  @Test(arguments: [#""by":"page""#, #""by":"offset""#], [404, 400] as [Status])
  func aRefusedPlaceBelowIsTheEnd(way: String, status: Status) async throws {
    let list = try await Self.read(5, by: way, order: "observed", beyond: status)
    #expect(list.ids.count == 5 && list.endReason == "end" && list.refusals.isEmpty)
  }

  @Test(arguments: ways, [5, 7, 9])
  func aSmallPageIsNotTheEndOfALargerList(way: String, perPageMax: Int) async throws {
    for order in ["observed", "-at"] where order == "-at" || !way.contains("time") {
      let list = try await Self.read(40, by: way, order: order, perPageMax: perPageMax)
      #expect(list.ids.count == 40 || list.endReason != "end", "\(order): \(list.ids.count)")
      if !way.contains("page") { #expect(list.ids.count == 40, "\(order)") }
    }
  }

  /// After an answer that was cut pages are smaller than an instant is: a larger one shows it.
  @Test func anInstantLargerThanHalfAPageIsPassedAfterACutAnswer() async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: #""by":"time","at":"until","size":"size","max":20,"more":"more""#, limit: 20
    ) { call in
      // Of 90, twelve from the 40th on share an instant.
      let at = (0..<90).map { 1_700_000_000 - ((40..<52).contains($0) ? 40 : $0) * 7 }
      let until = call.parameters["until"] == nil ? .max : call.number("until", or: 0)
      let from = at.firstIndex { $0 < until } ?? 90
      let end = min(90, from + min(20, call.number("size", or: 20)))
      let items = (from..<end).map { #"{"id":"i\#($0)","at":\#(at[$0])}"# }
      let json = #"{"items":[\#(items.joined(separator: ","))],"more":\#(end < 90)}"#
      return Response(json: call.number == 2 ? String(json.prefix(json.count / 2)) : json)
    }
    #expect(list.ids.count == 90 && list.refusals.isEmpty)
    #expect(list.endReason == "end", "\(list.calls.map(\.parameters))")
  }
}
