import HTTP
import Testing

/// Pages that are named by tokens and bring nothing, though they name another: AIP-158 allows empty
/// ones anywhere, and some lists end with one that names itself.
@Suite struct TokensThatBringNothingTests {
  private static let orders = ["", #","order":"-at","time":"seconds""#]

  /// Reads a list of which some elements are hidden in pages of 20; `next` names what follows on
  /// the elements down to an index, of a page that was asked for from another.
  private func read(
    _ count: Int, without hidden: Range<Int> = 0..<0, order: String, limit: Int = 20,
    next: @escaping @Sendable (_ end: Int, _ asked: Int) -> Int?
  ) async throws -> (list: ReadList, shown: [String]) {
    let list = try await ReadList(
      feed: #""items":"items""# + order,
      pages: #""by":"next","next":"next","at":"from","size":"size","max":20"#, limit: limit
    ) { call in
      let asked = call.parameters["from"].flatMap { Int($0.dropFirst()) } ?? 0
      let from = min(count, asked)
      let end = min(count, from + min(20, call.number("size", or: 20)))
      let shown = (from..<end).filter { !(hidden ~= $0) }
      return Response(
        json: Response.elements(
          shown, next(end, asked).map { #","next":"t\#($0)""# } ?? ""))
    }
    return (list, (0..<count).filter { !(hidden ~= $0) }.map { "i\($0)" })
  }

  @Test(arguments: orders, [20, 100])
  func emptyPagesAreFollowed(order: String, limit: Int) async throws {
    for hidden in [40..<60, 60..<120, 60..<100, 0..<40, 0..<160, 60..<220, 200..<241, 230..<241] {
      let (list, shown) = try await read(241, without: hidden, order: order, limit: limit) {
        end, _ in
        end < 241 ? end : nil
      }
      #expect(list.ids == shown && list.endReason == "end", "\(hidden) \(list.calls.count)")
      #expect(list.refusals.isEmpty && list.calls.count == 13, "\(hidden) \(list.calls.count)")
    }
  }

  /// The last page names itself, what shows it once more, or the first page.
  @Test(arguments: orders, [241, 240, 7, 20])
  func aTokenThatLeadsNowhereEndsAList(order: String, count: Int) async throws {
    let ends: [@Sendable (Int, Int) -> Int?] = [
      { end, _ in end }, { end, _ in end == count ? count - 1 : end },
      { end, _ in end == count ? count - count % 20 : end }, { end, _ in end == count ? 0 : end },
      { end, asked in asked < count ? end : count + 1 },
    ]
    for (index, next) in ends.enumerated() {
      // Of one page that leads to itself it is not known whether tokens are heard.
      if [2, 3].contains(index), count <= 20, next(count, 0) == 0 { continue }
      let (list, shown) = try await read(count, order: order, next: next)
      #expect(list.ids == shown && list.endReason == "end", "\(index) \(list.calls.count)")
      #expect(
        list.refusals.isEmpty && list.calls.count <= (count + 19) / 20 + 2,
        "\(index) \(list.calls.count)")
    }
  }

  /// More than eight are left alone for a while.
  @Test(arguments: orders) func aPauseFollowsOnEightEmptyPages(order: String) async throws {
    let (list, shown) = try await read(281, without: 40..<240, order: order) { end, _ in
      end < 281 ? end : nil
    }
    #expect(list.ids == Array(shown.prefix(39)) && list.refusals.allSatisfy { $0 == 503 })
    #expect(list.calls.count == 11)
  }
}
