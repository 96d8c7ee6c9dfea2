import HTTP
import Testing

/// Habits of APIs for which there is a key of `pages`, each at an upstream that has it.
@Suite(.serialized) struct PageKeysTests {
  private static func all(_ count: Int) -> [String] { (0..<count).map { "i\($0)" } }

  /// As WordPress does: its links count by `page`, so a page by `offset` always has a next.
  private static func blog(_ call: RuledUpstream.Call) -> Response {
    let (from, size) = (call.number("offset", or: 0), call.number("n", or: 10))
    let items = Response.elements(min(401, from)..<min(401, from + size))
    return Response(
      json: items, [("link", "</items?page=2&n=\(size)>; rel=\"next\""), ("x-total", "401")])
  }

  @Test(arguments: ["", #","total":"header:X-Total""#, #","total":"header:X-Total","exact":true"#])
  func aListWhoseLinksAlwaysGoOnEnds(total: String) async throws {
    let list = try await ReadList(
      pages: #""by":"offset","size":"n","max":100,"next":"none"\#(total)"#, limit: 100
    ) { Self.blog($0) }
    #expect(list.ids == Self.all(401))
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.calls.count <= 7)
  }

  /// `next` says how many elements are above; between the first and the second page 5 came, or 5
  /// went.
  private static func counting(_ call: RuledUpstream.Call, drift: Int, inURL: Bool) -> Response {
    let from = call.number("token", or: 0)
    let first = call.number > 0 ? -drift : 0
    let numbers = first + from..<max(first + from, min(60, first + from + 20))
    let mark = inURL ? "/items?n=20&token=\(from + 20)" : "\(from + 20)"
    let next = numbers.upperBound < 60 ? "\"\(mark)\"" : "null"
    return Response(json: Response.elements(numbers.map { $0 + 100 }, #","next":\#(next)"#))
  }

  @Test(arguments: [-5, 0, 5], [false, true])
  func pagesOfATokenThatCountsAreServedAsUnproven(drift: Int, inURL: Bool) async throws {
    let list = try await ReadList(
      pages: #""by":"next","next":"next","counted":true,"accept":"none","max":20"#
        + (inURL ? #","size":"n""# : #","at":"token""#), limit: 30
    ) { Self.counting($0, drift: drift, inURL: inURL) }
    #expect(Set(list.ids).count == list.ids.count)
    #expect(list.ids.count >= (drift < 0 ? 55 : 60))
    #expect(list.endReason == "end" && list.proof == "none" && list.refusals.isEmpty)
  }

  /// The offset is rounded down to a multiple of the size.
  private static func rounding(_ call: RuledUpstream.Call, drift: Int) -> Response {
    let size = max(1, min(100, call.number("limit", or: 20)))
    let from = call.number("offset", or: 0) / size * size - min(drift, call.number) * 2
    let total = 450
    return Response(
      json: Response.elements(
        (min(total, from)..<min(total, from + size)).map { $0 + 1_000 },
        #","total":\#(total + min(drift, call.number) * 2)"#))
  }

  @Test(
    arguments: [
      #""items":"items""#, #""items":"items","order":"-at","time":"seconds""#,
    ], [0, 3])
  func aRoundedOffsetLeavesNothingOut(feed: String, drift: Int) async throws {
    let list = try await ReadList(
      feed: feed,
      pages: #""by":"offset","size":"limit","max":100,"aligned":true,"total":"total""#, limit: 70
    ) { Self.rounding($0, drift: drift) }
    #expect(list.ids == (1_000..<1_450).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(["value", "sight"].contains(list.proof))
    #expect(
      list.calls.allSatisfy {
        $0.number("offset", or: 0) % $0.number("limit", or: 1) == 0
      })
  }

  /// Whole-number identities with holes; the one that is named must exist. Those of `gone` are
  /// deleted after the first call.
  private static func keyed(_ call: RuledUpstream.Call, gone: Range<Int>) -> Response {
    let size = max(1, min(20, call.number("limit", or: 20)))
    var all = (0..<200).map { 10_000 - $0 * 3 }
    if call.number > 0 {
      all = all.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }
    var from = 0
    if let text = call.parameters["after"] {
      guard let index = all.firstIndex(where: { "\($0)" == text }) else {
        return Response(json: #"{"error":"no such item"}"#, status: 400)
      }
      from = index + 1
    }
    let end = min(all.count, from + size)
    let items = all[from..<end].map { #"{"id":"i\#($0)","n":\#($0)}"# }.joined(separator: ",")
    return Response(json: #"{"items":[\#(items)],"more":\#(end < all.count)}"#)
  }

  @Test(arguments: [0..<0, 18..<20, 14..<20, 5..<20])
  func theNextElementThatStillExistsIsNamed(gone: Range<Int>) async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-n","time":"number""#,
      pages: #""by":"item","at":"after","value":"n","size":"limit","max":20,"more":"more""#
        + #","existing":true"#,
      limit: 20
    ) { Self.keyed($0, gone: gone) }
    #expect(list.ids.suffix(180) == (20..<200).map { "i\(10_000 - $0 * 3)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.calls.dropFirst().allSatisfy { $0.parameters["after"] != nil })
    let asked = list.calls.compactMap { $0.parameters["after"] }
    #expect(Set(asked).count == asked.count)
  }
}
