import Support
import Testing
import Upstream

@testable import Probe

/// What is found out of made-up APIs at the socket: what is right, or nothing.
@Suite struct StandInTests {
  /// Keys of what few APIs do.
  private static let rareKeys = ["aligned", "existing", "counted"]

  private func look(
    _ standIn: StandIn, query: String = "", calls: Int = Inquiry.callsMax, second: String? = nil,
    isMoving: Bool = false
  ) async throws -> Look {
    try await Look(at: standIn, query: query, calls: calls, second: second, isMoving: isMoving)
  }

  // MARK: - Right or nothing

  private static let all: [StandIn] = StandIn.Kind.allCases.flatMap { kind in
    StandIn.Manner.allCases.flatMap { manner in
      [7, 20, 37, 137].flatMap { count in
        [(false, false), (true, false), (false, true)].map { total, isDense in
          StandIn(kind: kind, manner: manner, count: count, total: total, isDense: isDense)
        }
      }
    }
  }

  @Test(arguments: all.sample(60)) func whatIsWrittenDownWalksTheWholeList(_ standIn: StandIn)
    async throws
  {
    do {
      let found = try await look(standIn)
      #expect(found.ids == standIn.ids, "\(found.report.findings)")
      // What is whole now is taken for whole when it grows.
      let isTold = standIn.total && standIn.count == 20
      #expect(
        found.list.order != .whole || standIn.kind == .whole || isTold,
        "\(found.report.findings)")
    } catch let failure as Inquiry.Failure {
      guard case .onePage = failure else { throw failure }
    }
  }

  /// Of a parameter that says how many are wanted in all there is no use, as of OData's `$top`.
  @Test(arguments: ["$top", "limit"], [15, 20, 50])
  func whatCountsAllIsNoSize(name: String, pageSize: Int) async throws {
    let found = try await look(
      StandIn(kind: .link, pageSize: pageSize, sizeName: name, countsAll: true))
    #expect(found.list.pages.size == nil && found.list.pages.by == .next)
    #expect(found.ids == found.all, "\(found.report.findings)")
  }

  private static let moving: [StandIn] = StandIn.Kind.allCases.flatMap { kind in
    [7, 25, 50].flatMap { pageSize in
      StandIn.Many.allCases.flatMap { manyIs in
        [false, true].map { isDense in
          StandIn(kind: kind, isDense: isDense, pageSize: pageSize, manyIs: manyIs)
        }
      }
    }
  }

  @Test(arguments: moving.sample(30)) func whatIsWrittenDownWhileAListMovesWalksIt(
    _ standIn: StandIn
  ) async throws {
    do {
      let found = try await look(standIn, isMoving: true)
      #expect(found.ids == found.all, "\(found.report.findings)")
    } catch let failure as Inquiry.Failure {
      guard case .onePage = failure else { throw failure }
    }
  }

  @Test(arguments: [
    (StandIn.Kind.page, StandIn.Manner.ignores, "page"), (.pageFromZero, .ignores, "page"),
    (.fixedPage, .ignores, "page"), (.fixedPage, .filters, "page"),
    (.offset, .ignores, "offset"), (.offset, .filters, "offset"), (.offset, .refuses, "offset"),
    (.aligned, .ignores, "offset"), (.item, .ignores, "item"), (.anchored, .ignores, "item"),
    (.token, .ignores, "next"), (.token, .filters, "next"), (.token, .refuses, "next"),
    (.counted, .ignores, "next"), (.link, .ignores, "next"), (.link, .filters, "next"),
    (.link, .refuses, "next"), (.href, .ignores, "page"), (.href, .filters, "page"),
    (.href, .refuses, "page"), (.relation, .ignores, "page"), (.relation, .refuses, "page"),
    (.header, .ignores, "next"), (.header, .filters, "next"),
  ])
  func aWayIsFound(kind: StandIn.Kind, manner: StandIn.Manner, by: String) async throws {
    let found = try await look(StandIn(kind: kind, manner: manner))
    #expect(found.list.pages.by.rawValue == by, "\(found.report.findings)")
  }

  /// What an API that filters by every name means itself has a mark.
  @Test(arguments: [("_page", StandIn.Kind.page), ("_offset", .offset)])
  func amongFiltersNamesWithAMarkAreFound(name: String, kind: StandIn.Kind) async throws {
    var api = StandIn(kind: kind, manner: .filters)
    (api.sizeName, api.placeName) = ("_limit", name)
    let found = try await look(api)
    #expect(found.list.pages.size == "_limit", "\(found.report.findings)")
    #expect(found.list.pages.atName == name, "\(found.report.findings)")
  }

  @Test(arguments: StandIn.Manner.allCases)
  func aWholeListIsFoundWhereItsCountIsNoPage(manner: StandIn.Manner) async throws {
    let found = try await look(StandIn(kind: .whole, manner: manner))
    #expect(found.list.order == .whole, "\(found.report.findings)")
  }

  @Test(arguments: [
    (StandIn.Kind.fixedPage, StandIn.Manner.ignores, "p"), (.offset, .ignores, "$skip"),
    (.page, .ignores, "pageNo"), (.anchored, .ignores, "startAfter"),
    (.offset, .refuses, "startAt"), (.item, .filters, "max_id"), (.item, .ignores, "marker"),
  ])
  func aNameThatIsLessCommonIsFoundWithMoreCalls(
    kind: StandIn.Kind, manner: StandIn.Manner, name: String
  ) async throws {
    let found = try await look(StandIn(kind: kind, manner: manner, placeName: name), calls: 30)
    #expect(found.list.pages.atName == name, "\(found.report.findings)")
  }

  @Test func ofAShortListAnAnswerOfFewElementsTellsTheSigns() async throws {
    let found = try await look(StandIn(kind: .href, count: 13, total: true))
    #expect(found.list.pages.next.text == "next")
    #expect(found.list.pages.total?.text == "total")
  }

  @Test(arguments: [(13, 100), (37, 100), (50, 50), (137, 50)])
  func theMostThatCameIsNoPagesSizeWhereItIsAll(count: Int, max: Int) async throws {
    let found = try await look(StandIn(kind: .page, count: count))
    #expect(found.list.pages.max == max, "\(found.report.findings)")
  }

  @Test(arguments: [(137, 137, true), (140, 140, true), (137, 139, false), (137, 150, false)])
  func ofPagesOfOneSizeWhetherTheLastHasTheRestOfTheTotalIsSaid(
    count: Int, total: Int, hasRest: Bool
  ) async throws {
    let report = try await look(
      StandIn(kind: .fixedPage, count: count, members: #""total":\#(total)"#)
    ).report
    let said = report.findings.filter { $0.key == "pages.exact" }.map(\.evidence)
    #expect(said.map { $0.contains("has the rest of the total") } == [hasRest], "\(said)")
  }

  @Test func aSizesNameIsReadOfTheNextPagesURLInBrackets() async throws {
    var standIn = StandIn(kind: .href, placeName: "page[number]")
    standIn.sizeName = "page[limit]"
    #expect(try await look(standIn).list.pages.size == "page[limit]")
  }

  @Test(arguments: [
    (StandIn.Kind.page, "_limit", "_page"), (.offset, "take", "skip"), (.page, "page-size", "page"),
    (.page, "itemsPerPage", "page"), (.page, "ps", "p"), (.page, "pagelen", "page"),
    (.offset, "resultRecordCount", "resultOffset"), (.offset, "count", "startIndex"),
  ])
  func theNamesOfWellKnownApisAreFound(kind: StandIn.Kind, size: String, at: String) async throws {
    var standIn = StandIn(kind: kind, placeName: at)
    standIn.sizeName = size
    let found = try await look(standIn)
    #expect(found.list.pages.size == size, "\(found.report.findings)")
    #expect(found.list.pages.atName == at, "\(found.report.findings)")
  }

  @Test func aSizesNameIsReadOfTheURLWhoseValueIsTheCount() async throws {
    var standIn = StandIn(kind: .page)
    standIn.sizeName = "itlimit"
    let found = try await look(standIn, query: "?itlimit=25")
    #expect(found.list.pages.size == "itlimit", "\(found.report.findings)")
    #expect(found.ids == standIn.ids)
  }

  @Test func aParameterOfTheURLThatIsNoSizeIsAlwaysAskedFor() async throws {
    let report = try await look(StandIn(kind: .page), query: "?shoe_size=20", calls: 12).report
    #expect(report.configuration.contains(#""shoe_size": "20""#), "\(report.configuration)")
  }

  /// What says where a page begins is not written down as what is always asked for.
  @Test(arguments: [
    (StandIn.Kind.offset, "index", "?index=0"), (.page, "_page", "?_page=1&limit=20"),
    (.offset, "pos", "?pos=0"),
  ])
  func aPlaceInTheURLIsNotKept(kind: StandIn.Kind, at: String, query: String) async throws {
    var standIn = StandIn(kind: kind, placeName: at)
    standIn.sizeName = "limit"
    guard let found = try? await look(standIn, query: query) else { return #expect(at == "pos") }
    #expect(found.list.pages.atName == at, "\(found.report.findings)")
    #expect(!found.report.configuration.contains("query"), "\(found.report.configuration)")
    #expect(found.ids == standIn.ids)
  }

  /// Pages of so few elements that they do not meet everywhere are read as pages of one size.
  @Test(arguments: [10, 15]) func pagesOfFewElementsAreJoinedByNothing(most: Int) async throws {
    var standIn = StandIn(kind: .page)
    (standIn.most, standIn.pageSize) = (most, most)
    let found = try await look(standIn, calls: 12)
    #expect(found.list.pages.max == most)
    #expect(found.report.configuration.contains(#""accept": "none""#))
    #expect(found.ids == standIn.ids)
  }

  @Test func aTypeThatIsNotJSONsOwnIsTaken() async throws {
    let standIn = StandIn(kind: .page, type: "application/vnd.api+json")
    let found = try await look(standIn)
    #expect(found.ids == standIn.ids)
    #expect(found.report.configuration.contains(##""Accept": "*/*""##))
  }

  // MARK: - What is refused

  @Test(arguments: [10, 20, 25, 30, 50, 100])
  func aListOfAPagesCountIsRefused(count: Int) async throws {
    await #expect(throws: Inquiry.Failure.self) {
      try await look(StandIn(kind: .whole, count: count))
    }
  }

  @Test func aTotalProvesThatAPagesCountIsAll() async throws {
    let found = try await look(StandIn(kind: .whole, count: 20, total: true))
    #expect(found.list.order == .whole)
  }

  /// A number of a page, and a token that stands under any name: that is found by itself, too.
  @Test(arguments: [(StandIn.Kind.foreign, "seite"), (.end, "from")])
  func aNameThatIsUnknownIsReadOfTheSecondPage(kind: StandIn.Kind, at: String) async throws {
    let standIn = StandIn(kind: kind)
    if kind == .foreign {
      await #expect(throws: Inquiry.Failure.self) { try await look(standIn) }
    } else {
      let found = try await look(standIn)
      #expect(found.list.pages.at == at && found.ids == standIn.ids)
    }
    let found = try await look(standIn, second: "\(at)=\(standIn.place(20, 20))")
    #expect(found.list.pages.at == at, "\(found.report.findings)")
    #expect(found.ids == standIn.ids)
  }

  // MARK: - What is said besides

  @Test(arguments: [
    (StandIn.Kind.aligned, #""aligned": true"#), (.anchored, #""existing": true"#),
    (.counted, #""counted": true"#), (.endless, #""next": "none""#),
    (.ongoing, #""next": "none""#),
    (.counted, #""accept": "none""#), (.offsetFromOne, #""first": 1"#),
  ])
  func aHabitIsWrittenDown(kind: StandIn.Kind, key: String) async throws {
    let found = try await look(StandIn(kind: kind), calls: 12)
    #expect(found.report.configuration.contains(key), "\(found.report.findings)")
  }

  @Test(arguments: [StandIn.Kind.offset, .item, .token, .link])
  func aHabitIsNotWrittenDownWhereItIsNot(kind: StandIn.Kind) async throws {
    let configuration = try await look(StandIn(kind: kind), calls: 12).report.configuration
    #expect(!Self.rareKeys.contains { configuration.contains("\"\($0)\"") }, "\(configuration)")
  }

  @Test func theOldestFirstIsSaid() async throws {
    let report = try await look(StandIn(kind: .offset, isDense: true)).report
    #expect(report.findings.contains { $0.key == "order" && $0.evidence.contains("oldest") })
  }

  @Test func aRedirectIsFollowedOnceAndItsPathWrittenDown() async throws {
    let report = try await look(StandIn(kind: .offset, path: "/api/items/")).report
    #expect(report.configuration.contains(#""path": "items/""#), "\(report.configuration)")
  }

  // MARK: - What else an API shows

  private static func document(
    _ list: String, _ get: String, components: String = "{}"
  ) -> String {
    #"{"paths":{"/":{"get":{}},"/api/items":{"parameters":[\#(list)],"get":{"parameters":"#
      + #"[\#(get)]}}},"components":\#(components)}"#
  }
  private static let place = #"{"name":"list_page","in":"query"}"#

  @Test(arguments: [
    document("", place), document(place, ""),
    document("", #"{"name":"X","in":"header"},\#(place)"#),
    document(
      "", ##"{"$ref":"#/components/parameters/Place"}"##,
      components: #"{"parameters":{"Place":\#(place)}}"#),
  ])
  func aNameIsReadOfTheDescriptionWhereOthersAreRefused(document: String) async throws {
    let found = try await look(
      StandIn(kind: .page, manner: .refuses, placeName: "list_page", document: document), calls: 30)
    #expect(found.list.pages.atName == "list_page", "\(found.report.findings)")
  }

  @Test func aSizesNameIsReadOfTheDescriptionWhereOthersAreRefused() async throws {
    let size = #"{"name":"list_size","in":"query"}"#
    var standIn = StandIn(
      kind: .page, manner: .refuses, placeName: "list_page",
      document: Self.document("", "\(size),\(Self.place)"))
    standIn.sizeName = "list_size"
    let found = try await look(standIn)
    #expect(found.list.pages.size == "list_size", "\(found.report.findings)")
    #expect(found.ids == standIn.ids)
  }

  @Test func whereAnElementIsShownByItselfIsWrittenDown() async throws {
    let report = try await look(StandIn(kind: .offset, ownPath: "/api/item/")).report
    #expect(report.configuration.contains(#""one": "item/{id}""#), "\(report.findings)")
  }

  /// At another origin, above the base, and where the list is shown instead.
  @Test(arguments: ["http://localhost:1/api/item/", "/v2/item/", "/api/items/"])
  func whereAnElementIsNotShownIsNot(ownPath: String) async throws {
    var standIn = StandIn(kind: .offset, ownPath: ownPath)
    standIn.showsOwn = false
    let report = try await look(standIn, calls: 20).report
    #expect(!report.configuration.contains("\"one\""), "\(report.findings)")
  }

  @Test(arguments: RateLines.read)
  func aRateThatIsReadWithoutAKeyNeedsNone(fields: [String]) async throws {
    var standIn = StandIn(kind: .offset)
    standIn.fields = fields
    let report = try await look(standIn).report
    #expect(!report.configuration.contains("\"rate\""), "\(report.configuration)")
    #expect(report.findings.contains { $0.evidence.contains("calls were left") })
  }

  @Test(arguments: RateLines.own)
  func aRateOfTheApisOwnWordsIsWrittenDown(
    fields: [String], members: String, keys: [String]
  ) async throws {
    var standIn = StandIn(kind: .offset)
    (standIn.fields, standIn.members) = (fields, members)
    let report = try await look(standIn).report
    for key in keys { #expect(report.configuration.contains(key), "\(report.configuration)") }
    let rates = report.findings.filter { $0.key.hasPrefix("rate.") && $0.value != nil }
    #expect(rates.count == keys.count)
  }

  @Test func whatIsOpenForWantOfCallsIsSaid() async throws {
    let report = try await look(StandIn(kind: .offset), calls: 5).report
    #expect(report.open.contains("what comes beyond the end"))
  }
}
