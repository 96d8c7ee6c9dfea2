import HTTP
import History
import Support
import Synchronization
import Testing

/// Pages with nothing on them, as where an upstream counts what it hides from the reader, and
/// answers that say that more follows where nothing does.
@Suite(.serialized) struct HolesTests {
  /// What an answer says of its end.
  enum Sign: CaseIterable {
    case more, total, both, always

    func text(_ count: Int, _ end: Int) -> String {
      let more = #","more":\#(end < count || self == .always)"#
      let total = #","total":\#(count)"#
      return switch self {
      case .more, .always: more
      case .total: total
      case .both: more + total
      }
    }

    var keys: String {
      switch self {
      case .more, .always: #","more":"more""#
      case .total: #","total":"total""#
      case .both: #","more":"more","total":"total""#
      }
    }
  }

  /// What happens once, or never.
  private final class Fault: Sendable {
    private let isLeft: Mutex<Bool>

    init(happens: Bool) { isLeft = Mutex(happens) }

    var isNow: Bool {
      isLeft.withLock { isLeft in
        defer { isLeft = false }
        return isLeft
      }
    }
  }

  private static let ways = [#""by":"page""#, #""by":"offset""#]

  private static func read(
    _ count: Int, without hidden: some Collection<Int> & Sendable, by way: String, order: String,
    _ sign: Sign, max: Int = 20, limit: Int = 20, accept: String = "", isEmptyOnce: Bool = false
  ) async throws -> ReadList {
    let fault = Fault(happens: isEmptyOnce)
    let size = accept.isEmpty ? #","size":"size""# : ""
    return try await ReadList(
      feed: #""items":"items""# + order,
      pages: way + size + #","max":\#(max)"# + sign.keys + accept, limit: limit
    ) { call in
      let size = min(max, call.number("size", or: max))
      let from = min(count, call.first(inPagesOf: size))
      let end = min(count, from + size)
      let isEmpty = hidden.contains(from) && fault.isNow
      let shown = (from..<end).filter { !(isEmptyOnce ? isEmpty : hidden.contains($0)) }
      return Response(json: Response.elements(shown, sign.text(count, end)))
    }
  }

  /// What is above and what is below is served, and between the two is a gap, at whose ends an
  /// element may be left out.
  @Test(arguments: ways, ["", #","order":"-at","time":"seconds""#])
  func aListGoesOnBelowPagesWithNothingOnThem(way: String, order: String) async throws {
    for sign in Sign.allCases {
      let holes = [60..<80, 60..<81, 55..<125, 41..<190]
      for hidden in holes.sample(2, for: "\(way) \(order) \(sign)") {
        let list = try await Self.read(241, without: hidden, by: way, order: order, sign)
        let name: Comment = "\(sign) \(hidden)"
        let shown = (0..<241).filter { !hidden.contains($0) }.map { "i\($0)" }
        let ends = [hidden.lowerBound - 1, hidden.upperBound].map { "i\($0)" }
        #expect(list.refusals.isEmpty && list.endReason == "end", name)
        #expect(Set(shown).subtracting(list.ids).isSubset(of: ends), name)
        #expect(list.ids == shown.filter(list.ids.contains), name)
        #expect(list.gapCount <= 1, name)
        #expect(list.calls.count <= 60, name)
      }
    }
  }

  /// However many elements are read at a time, it is a gap, before which a slice ends.
  @Test(arguments: ways, ["", #","order":"-at","time":"seconds""#])
  func noHoleIsPassedInSilence(way: String, order: String) async throws {
    for limit in 57...61 {
      let list = try await Self.read(
        241, without: 60..<100, by: way, order: order, .both, limit: limit)
      #expect(list.gapCount == 1 && list.refusals.isEmpty && list.ids.count >= 199, "\(limit)")
    }
  }

  /// A hole that a page spans is none.
  @Test(arguments: Sign.allCases) func aPageSpansWhatIsHiddenInIt(sign: Sign) async throws {
    for order in ["", #","order":"-at","time":"seconds""#] where !order.isEmpty || sign != .total {
      let list = try await Self.read(
        241, without: 60..<70, by: #""by":"offset""#, order: order, sign)
      #expect(list.ids == (0..<241).filter { !(60..<70 ~= $0) }.map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.gapCount == 0, "\(order)")
    }
  }

  /// Pages from which a few or many are hidden stop no list, and end none: what a page spans is
  /// joined, and what none spans is a gap, at whose ends an element may be left out.
  @Test(arguments: ways, ["", #","order":"-at","time":"seconds""#])
  func pagesWithHiddenElementsStopNoList(way: String, order: String) async throws {
    let hidden: [Set<Int>] = [
      Set(67..<79), Set([13..<26, 74..<82, 108..<122].joined()), Set(3..<22), Set(98..<115),
      Set((0..<230).filter { $0 % 3 == 1 }), Set((0..<230).filter { $0 % 7 < 3 }),
    ]
    for sign in [Sign.more, .both] {
      for hidden in hidden {
        let list = try await Self.read(230, without: hidden, by: way, order: order, sign)
        let shown = (0..<230).filter { !hidden.contains($0) }.map { "i\($0)" }
        let name: Comment = "\(sign) \(hidden.count) \(list.calls.count) \(list.ids.count)"
        #expect(list.refusals.isEmpty && list.endReason != nil, name)
        #expect(list.ids == shown.filter(list.ids.contains), name)
        #expect(Set(shown).subtracting(list.ids).count <= 8, name)
        #expect(list.calls.count <= 60, name)
      }
    }
  }

  /// A first page of a few elements is not the last one since some of them stand on the next, which
  /// is asked for in its size.
  @Test(arguments: ["", #","order":"-at","time":"seconds""#])
  func aFewElementsAreNotTheLastOnes(order: String) async throws {
    for hidden in [Set((0..<100).filter { $0 * $0 % 11 < 6 }), Set(6..<17)] {
      let list = try await Self.read(100, without: hidden, by: Self.ways[0], order: order, .total)
      let shown = (0..<100).filter { !hidden.contains($0) }.map { "i\($0)" }
      let name: Comment = "\(hidden.count) \(list.calls.count) \(list.ids.count)"
      #expect(list.refusals.isEmpty && list.endReason != nil, name)
      #expect(list.ids == shown.filter(list.ids.contains), name)
      #expect(Set(shown).subtracting(list.ids).count <= 7, name)
    }
  }

  /// A list of one page whose total counts what is hidden is read to its last element.
  @Test(arguments: ways, ["", #","order":"-at","time":"seconds""#])
  func aListOfOnePageIsWholeWhateverItsTotalCounts(way: String, order: String) async throws {
    for hidden in [Set((0..<30).filter { $0 * $0 % 7 < 3 }), Set(7..<25), Set(29..<30)] {
      let list = try await Self.read(
        30, without: hidden, by: way, order: order, .total, max: 100)
      let name: Comment = "\(hidden.count) \(list.calls.count) \(list.ids.count)"
      #expect(list.ids == (0..<30).filter { !hidden.contains($0) }.map { "i\($0)" }, name)
      #expect(list.refusals.isEmpty && list.calls.count <= 6, name)
    }
  }

  /// A list of which nothing but an empty page says that it ends, of the elements that are shown.
  private static func read(
    _ count: Int, by way: String, max: Int, isShown: @escaping @Sendable (Int) -> Bool
  ) async throws -> (ReadList, shown: [String]) {
    let list = try await ReadList(
      feed: #""items":"items""#, pages: way + #","max":\#(max),"short":true"#, limit: 20
    ) { call in
      let size = min(max, call.number("size", or: max))
      let from = min(count, call.first(inPagesOf: size))
      return Response(
        json: Response.elements((from..<min(count, from + size)).filter(isShown)))
    }
    return (list, (0..<count).filter(isShown).map { "i\($0)" })
  }

  /// Two pages that brought nothing, of which the one from further down shows but the end of the
  /// other, show what is hidden: then what lies below both is asked for.
  @Test func offsetsReachTheEndOfAListWhoseLastElementsAreHidden() async throws {
    for count in [100, 430] {
      let (list, shown) = try await Self.read(count, by: #""by":"offset""#, max: 100) {
        $0 % 10 < 6 && $0 % 100 < 98
      }
      #expect(list.ids == shown && list.endReason == "end" && list.refusals.isEmpty, "\(count)")
      #expect(list.calls.count <= 6 + count / 50, "\(count) \(list.calls.count)")
    }
  }

  /// The same of pages that are asked for by their numbers.
  @Test func pagesReachTheEndOfAListOfWhichSomeAreHidden() async throws {
    let (list, shown) = try await Self.read(
      100, by: #""by":"page","size":"size""#, max: 100
    ) { $0 * ($0 + 3) % 10 < 8 && $0 % 5 != 1 }
    #expect(list.ids == shown && list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.calls.count <= 9, "\(list.calls.count)")
  }

  /// A page that seems to have come in another size than it was asked for, and has not, shows that
  /// elements are hidden as any other.
  @Test func aShortPageThatWasSuspectedIsOneAfterAll() async throws {
    let (list, _) = try await Self.read(100, by: #""by":"page","size":"size""#, max: 20) {
      $0 * ($0 + 3) % 10 >= 6
    }
    #expect(list.ids.last == "i99" && list.endReason == "end" && list.refusals.isEmpty)
    #expect(list.ids.count >= 35, "\(list.ids.count) of 40")
  }

  /// Eight pages are followed below the first that is empty; below more than that nothing is.
  @Test(arguments: ways) func emptyPagesAreFollowedToALimit(way: String) async throws {
    let passed = try await Self.read(300, without: 60..<200, by: way, order: "", .both)
    #expect(passed.ids.last == "i299" && passed.gapCount == 1)
    let ended = try await Self.read(300, without: 60..<261, by: way, order: "", .both)
    #expect(ended.ids == (0..<60).map { "i\($0)" })
    #expect(ended.endReason == "upstreamLimit" && ended.refusals.isEmpty)
  }

  /// What is known below such pages after a restart is found there again.
  @Test(arguments: ways, ["", #","order":"-at","time":"seconds""#])
  func aRestartFindsTheSameAgain(way: String, order: String) async throws {
    let upstream = try await RuledUpstream { call in
      let size = min(20, call.number("size", or: 20))
      let from = min(241, call.first(inPagesOf: size))
      let end = min(241, from + size)
      let shown = (from..<end).filter { !(60..<100 ~= $0) }
      return Response(json: Response.elements(shown, Sign.both.text(241, end)))
    }
    let directory = try TemporaryDirectory("tsugi")
    let source = #"""
      {"s":{"kind":"http","baseURL":"http://127.0.0.1:\#(upstream.port)",
      "pages":{\#(way),"size":"size","max":20\#(Sign.both.keys)},
      "feeds":{"items":{"items":"items"\#(order)}}}}
      """#
    var lists: [ReadList] = []
    for _ in 0..<2 {
      let stand = try await RecipeStand(sources: source, in: directory)
      lists.append(try await ReadList(stand, limit: 20))
      await stand.stop()
    }
    await upstream.stop()
    #expect(lists[0].ids.count >= 199 && lists[1].ids == lists[0].ids)
    #expect(lists.allSatisfy { $0.gapCount == 1 && $0.endReason == "end" && $0.refusals.isEmpty })
  }

  /// Nothing is left out where one answer was empty by a fault.
  @Test(arguments: ways, Sign.allCases)
  func anAnswerThatIsEmptyOnceIsNoHole(way: String, sign: Sign) async throws {
    for order in ["", #","order":"-at","time":"seconds""#] {
      let list = try await Self.read(
        241, without: 60..<100, by: way, order: order, sign, isEmptyOnce: true)
      #expect(list.ids == (0..<241).map { "i\($0)" }, "\(order)")
      #expect(list.endReason == "end" && list.gapCount == 0, "\(order)")
    }
  }

  /// Pages that have one size, and are joined as the recipe accepts.
  @Test(arguments: Sign.allCases) func pagesOfOneSizeAreJoinedOverAHole(sign: Sign) async throws {
    for hidden in [60..<80, 60..<140, 181..<241] {
      let list = try await Self.read(
        241, without: hidden, by: #""by":"page""#, order: "", sign, accept: #","accept":"none""#)
      let shown = (0..<241).filter { !hidden.contains($0) }.map { "i\($0)" }
      #expect(list.ids == shown && list.refusals.isEmpty, "\(sign) \(hidden)")
      #expect(list.gapCount == 0, "\(sign) \(hidden)")
    }
  }

  /// A flag that always says that more follows says nothing.
  @Test(
    arguments: ways + [
      #""by":"item","at":"after""#, #""by":"time","at":"until","includes":true"#,
    ])
  func aFlagThatIsAlwaysSetHidesNoEnd(way: String) async throws {
    for count in [1, 19, 20, 45, 101] {
      let order = way.contains("time") ? #","order":"-at","time":"seconds""# : ""
      let list = try await ReadList(
        feed: #""items":"items""# + order, pages: way + #","size":"size","max":20,"more":"more""#,
        limit: 20
      ) { call in
        let size = min(20, call.number("size", or: 20))
        let from = min(
          count, call.first(inPagesOf: size, isShown: way.contains("includes")))
        let end = min(count, from + size)
        return Response(json: Response.elements(from..<end, #","more":true"#))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(count)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(count)")
    }
  }

  /// An empty page that names none, after a full one, ends a list once it came twice.
  @Test(arguments: ["", #","order":"-at","time":"seconds""#])
  func anAnswerThatIsEmptyOnceEndsNoListByTokens(order: String) async throws {
    for (count, isEmptyOnce) in [(100, true), (90, true), (100, false), (90, false)] {
      let fault = Fault(happens: isEmptyOnce)
      let list = try await ReadList(
        feed: #""items":"items""# + order,
        pages: #""by":"next","next":"next","at":"from","size":"size","max":20"#, limit: 20
      ) { call in
        let size = min(20, call.number("size", or: 20))
        let from = min(count, call.number("from", or: 0))
        if from >= 40 && fault.isNow || from == count { return Response(json: #"{"items":[]}"#) }
        let end = min(count, from + size)
        return Response(json: Response.elements(from..<end, #","next":"\#(end)""#))
      }
      #expect(list.ids == (0..<count).map { "i\($0)" }, "\(count) \(isEmptyOnce)")
      #expect(list.endReason == "end" && list.refusals.isEmpty, "\(count) \(isEmptyOnce)")
      let pages = (count + 19) / 20
      #expect(list.calls.count <= pages + 2 + (isEmptyOnce ? 1 : 0), "\(list.calls.count)")
    }
  }
}
