import HTTP
import Testing

/// Servers that keep to some sizes of pages only.
@Suite(.serialized) struct OwnSizesTests {
  /// What becomes of a size that is none of the server's.
  enum Others: CaseIterable {
    case roundedUp, roundedDown, replaced, refused

    private static let sizes = [1, 10, 20, 50, 100]

    /// The size in which a page comes; nil where it is refused.
    func given(_ size: Int) -> Int? {
      if Others.sizes.contains(size) { return size }
      return switch self {
      case .roundedUp: Others.sizes.first { $0 >= size }
      case .roundedDown: Others.sizes.last { $0 <= size }
      case .replaced: 20
      case .refused: nil
      }
    }
  }

  private static func read(
    _ count: Int, by way: String = #""by":"page""#, _ others: Others, says: String = "",
    accept: String = ""
  ) async throws -> ReadList {
    try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: way + #","size":"size","max":100"# + (says == "total" ? #","total":"total""# : "")
        + accept, limit: 20
    ) { call in
      guard let size = others.given(call.number("size", or: 20)) else {
        return Response(status: 400, text: "size")
      }
      let from = min(count, call.first(inPagesOf: size, isShown: way.contains("includes")))
      let end = min(count, from + size)
      return Response(json: Response.elements(from..<end, #","total":\(count)"#))
    }
  }

  /// Nothing shows what lies between two such pages: of the last one of a page and the first of the
  /// next it is not known that they are neighbours.
  @Test(arguments: Others.allCases, ["", "total"])
  func numberedPagesStandSideBySide(_ others: Others, says: String) async throws {
    for count in [5, 45, 100, 130, 300] {
      let list = try await Self.read(count, others, says: says)
      let open = stride(from: 100, to: count, by: 100).flatMap { [$0 - 1, $0] }
      let proven = (0..<count).filter { !open.contains($0) }
      #expect(list.ids == proven.map { "i\($0)" }, "\(others) \(count)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(others) \(count)")
      #expect(list.calls.count <= 9 + count / 50, "\(others) \(count)")
      let isReported = list.doubts.contains { $0.contains(#"sign="resized""#) }
      #expect(isReported || count <= 100, "\(others) \(count)")
    }
  }

  /// Where the recipe takes what nothing joins, nothing is left out.
  @Test(arguments: Others.allCases)
  func pagesAreLaidSideBySideWhereThatIsAccepted(_ others: Others) async throws {
    let list = try await Self.read(230, others, accept: #","accept":"none""#)
    #expect(list.ids == (0..<230).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
  }

  /// By an offset or an element a page of another size begins where it was asked for.
  @Test(arguments: [#""by":"offset""#, #""by":"item","at":"after""#], Others.allCases)
  func otherPlacesAreNotOfTheSize(way: String, _ others: Others) async throws {
    let list = try await Self.read(230, by: way, others)
    #expect(list.ids == (0..<230).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
  }

  /// A server that cuts all sizes to one of its own keeps to smaller ones: pages overlap.
  @Test func aSizeThatIsCutIsNoneOfItsOwn() async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: #""by":"page","size":"size","max":100"#, limit: 20
    ) { call in
      let size = min(30, call.number("size", or: 30))
      let from = min(130, call.first(inPagesOf: size))
      return Response(json: Response.elements(from..<min(130, from + size), ""))
    }
    #expect(list.ids == (0..<130).map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty)
    #expect(!list.doubts.contains { $0.contains("resized") })
  }

  /// One that takes no size at all has pages of its own one, side by side: a gap lies between them.
  @Test(arguments: ["observed", "-at"], [1, 3])
  func aSizeThatIsIgnoredLeavesPagesSideBySide(order: String, times: Int) async throws {
    let isByKey = order == "-at"
    let list = try await ReadList(
      feed: #""items":"items","order":"\#(order)"\#(isByKey ? #","time":"seconds""# : "")"#,
      pages: #""by":"page","size":"size","max":50"#, limit: 20
    ) { call in
      let from = min(133, call.first(inPagesOf: 20))
      let items = (from..<min(133, from + 20)).map { number in
        #"{"id":"i\#(number)","at":\#(1_700_000_000 - number / times)}"#
      }
      return Response(json: #"{"items":[\#(items.joined(separator: ","))]}"#)
    }
    let places = list.ids.compactMap { Int($0.dropFirst()) }
    // Elements of one key stand in an order of their own.
    let groups = places.map { $0 / times }
    #expect(Set(places).count == places.count && groups == groups.sorted())
    let isInside = { (place: Int) in (3..<17).contains(place % 20) || place < 17 }
    #expect(Set(places).isSuperset(of: (0..<133).filter(isInside)))
    #expect(list.gapCount == 6 && list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.doubts.contains { $0.contains(#"sign="resized""#) })
  }

  /// Pages of one size, of which the recipe says a greater one.
  @Test(arguments: ["observed", "-at"])
  func pagesThatAreSmallerThanIsSaidAreReadInTheirOwnSize(order: String) async throws {
    for count in [20, 39, 40, 41, 133] {
      let time = order == "-at" ? #","time":"seconds""# : ""
      let list = try await ReadList(
        feed: #""items":"items","order":"\#(order)"\#(time)"#,
        pages: #""by":"page","max":50,"accept":"none""#, limit: 20
      ) { call in
        let from = min(count, call.first(inPagesOf: 20))
        return Response(json: Response.elements(from..<min(count, from + 20)))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(count)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(count)")
    }
  }

  /// Pages of identities in ranges of 25, some of which are not there: the recipe's size is that of
  /// one of them, and others are larger.
  @Test(arguments: [18, 20, 21, 22], ["observed", "-at"])
  func pagesMayBeLargerThanIsSaidWhereNoSizeIsAskedFor(most: Int, order: String) async throws {
    let time = order == "-at" ? #","time":"seconds""# : ""
    let list = try await ReadList(
      feed: #""items":"items","order":"\#(order)"\#(time)"#,
      pages: #""by":"page","max":\#(most),"accept":"none","beyond":[404]"#, limit: 40
    ) { call in
      let page = call.number("page", or: 1) - 1
      guard (0..<40).contains(page) else { return Response(status: 404, text: "") }
      let ids = (25 * page..<25 * page + 25).filter { $0 % 7 != 0 }
      let items = ids.map { #"{"id":"i\#($0)","at":\#(1_700_000_000 - $0)}"# }
      return Response(json: #"{"items":[\#(items.joined(separator: ","))]}"#)
    }
    #expect(list.ids == (0..<1_000).filter { $0 % 7 != 0 }.map { "i\($0)" })
    #expect(list.endReason == "end" && list.refusals.isEmpty && list.gapCount == 0)
  }
}
