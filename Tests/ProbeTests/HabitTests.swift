import Feed
import Freshness
import Testing

@testable import Probe
@testable import Upstream

/// Habits that lists on the web have, each as small as shows it, and what is written down of it.
@Suite struct HabitTests: HabitSuite {
  /// Old pages and new ones at one address: what names the next page depends on the size's name.
  @Test func theNextPageIsReadAsTheSizeIsAsked() async throws {
    let (list, report) = try await look { query in
      let size = query.number("page[size]", or: 100)
      let begin =
        query["page[size]"] == nil
        ? 100 * (query.number("page", or: 1) - 1)
        : Int(query["page[after]"]?.dropFirst(4) ?? "") ?? 0
      let (elements, end) = (Self.elements(from: begin, size), begin + size)
      let url = "http://api.example/v2/things"
      if query["page[size]"] == nil {
        let next = end < 240 ? "\"\(url)?page=\(end / 100 + 1)\"" : "null"
        return (200, [], #"{"things":\#(elements),"next_page":\#(next),"count":240}"#)
      }
      let next = "\(url)?page[size]=\(size)&page[after]=seek\(end)"
      let signs = #""meta":{"has_more":\#(end < 240)},"links":{"next":"\#(next)"}"#
      return (200, [], #"{"things":\#(elements),\#(signs)}"#)
    }
    #expect(list.pages.size == "page[size]", "\(report.findings)")
    #expect(list.pages.next.text == "links.next", "\(report.findings)")
    #expect(list.pages.more?.text == "meta.has_more")
  }

  /// All comes where no size is asked for, and a hundred at most where one is.
  @Test func theMostIsWhatWasAskedForAndCame() async throws {
    let (list, report) = try await look { query in
      let size = query.number("limit", or: 240)
      guard size <= 100 || query["limit"] == nil else { return (400, [], "{}") }
      let end = query.number("offset", or: 0) + size
      let next = end < 240 ? #"{"offset":"\#(end)"}"# : "null"
      return (
        200, [],
        #"{"data":\#(Self.elements(from: end - size, size)),"next_page":\#(next)}"#
      )
    }
    #expect(list.pages.max == 100, "\(report.findings)")
  }

  /// Eight are there, and more than fifty are refused.
  @Test func ofAShortListTheMostIsWhatIsNotRefused() async throws {
    let (list, report) = try await look { query in
      let size = query.number("limit", or: 20)
      guard size <= 50 else { return (400, [], #"{"error":"Invalid limit"}"#) }
      let elements = Self.elements(from: query.number("offset", or: 0), size, of: 8)
      return (200, [], #"{"items":\#(elements),"next":null,"total":8}"#)
    }
    #expect(list.pages.max == 50, "\(report.findings)")
    #expect(list.pages.by == .offset)
  }

  /// A refusal says how many may be asked for.
  @Test func theMostIsReadOfARefusal() async throws {
    let (list, report) = try await look { query in
      let (size, page) = (query.number("size", or: 10), query.number("page", or: 1))
      guard size <= 25 else { return (400, [], #"{"message":"size must be at most 25"}"#) }
      let elements = Self.elements(from: size * (page - 1), size)
      return (200, [], #"{"hits":\#(elements),"total":240}"#)
    }
    #expect(list.pages.max == 25, "\(report.findings)")
  }

  /// The first page is asked for with a token, too.
  @Test func theTokenOfTheFirstPageIsKept() async throws {
    let (list, report) = try await look(
      "http://api.example/v2/things?sort=date&per-page=50&cursor=*"
    ) { query in
      let size = query.number("per-page", or: 25)
      let cursor = query["cursor"]
      let begin = cursor == "*" ? 0 : Int(cursor?.dropFirst(7) ?? "") ?? 0
      let next = cursor != nil && begin + size < 240 ? "\"cursor-\(begin + size)\"" : "null"
      let elements = Self.elements(from: begin, size)
      return (200, [], #"{"meta":{"count":240,"next_cursor":\#(next)},"results":\#(elements)}"#)
    }
    #expect(list.pages.start == "*", "\(report.findings)")
    #expect(list.pages.at == "cursor")
    #expect(!report.configuration.contains("\"cursor\": \"*\""))
  }

  /// Many names in one call are refused, and the refusal names those that are not known.
  @Test(arguments: [("size", "from"), ("rows", "start"), ("$limit", "$offset")])
  func namesThatARefusalDoesNotNameAreKnown(size: String, offset: String) async throws {
    let (list, report) = try await look { query in
      let unknown = query.others(than: [size, offset])
      guard unknown.isEmpty else {
        let text = unknown.map { "[\($0)]" }.joined(separator: ", ")
        return (400, [], #"{"error":{"causes":[{"reason":"unrecognized parameters: \#(text)"}]}}"#)
      }
      let elements = Self.elements(
        from: query.number(offset, or: 0), min(100, query.number(size, or: 10)))
      return (200, [], #"{"hits":\#(elements),"total":240}"#)
    }
    #expect(list.pages.size == size, "\(report.findings)")
    #expect(list.pages.atName == offset)
  }

  /// Names in brackets, as the URL has them or not.
  @Test(arguments: ["", "?pagination[page]=1&pagination[pageSize]=25", "?sort=a"])
  func namesInBracketsAreFound(query: String) async throws {
    let (list, report) = try await look("http://api.example/v2/things\(query)") { query in
      let size = min(100, query.number("pagination[pageSize]", or: 25))
      let elements = Self.elements(
        from: size * (query.number("pagination[page]", or: 1) - 1), size)
      return (200, [], #"{"data":\#(elements),"meta":{"pagination":{"total":240}}}"#)
    }
    #expect(list.pages.size == "pagination[pageSize]", "\(report.findings)")
    #expect(list.pages.atName == "pagination[page]")
  }

  /// Where a token stands, and the parameter that takes it.
  @Test(arguments: [
    ("\"next_page_token\":#", "", "page-token"),
    ("\"pages\":{\"next\":{\"page\":2,\"starting_after\":#}}", "", "starting_after"),
    ("\"offset\":#", "", "offset"), ("\"NextMarker\":#", "", "Marker"),
    ("\"meta\":{\"next_token\":#}", "", "pagination_token"),
    ("\"count\":240", "x-ms-continuationtoken: #", "continuationToken"),
  ])
  func aTokenIsFound(member: String, field: String, name: String) async throws {
    let (list, report) = try await look { query in
      let begin = Int(query[name]?.dropFirst(9) ?? "0") ?? 0
      let end = begin + min(100, query.number("limit", or: 20))
      let token = end < 240 ? "itr/token\(end)" : ""
      let member = member.replacing("#", with: end < 240 ? "\"\(token)\"" : "null")
      let fields = field.isEmpty || token.isEmpty ? [] : [field.replacing("#", with: token)]
      let elements = Self.elements(from: begin, end - begin)
      return (200, fields, #"{"records":\#(elements),\#(member)}"#)
    }
    #expect(list.pages.by == .next, "\(report.findings)")
    #expect(list.pages.atName == name)
  }

  /// The token is the number of a page in other letters, the same for pages of each size.
  @Test func aTokenThatIsTheSameForEachSizeIsFound() async throws {
    let (list, report) = try await look { query in
      let page = query["continuation"].map { Int($0.dropFirst(9)) ?? 1 } ?? 1
      let size = min(50, query.number("page_size", or: 50))
      let elements = Self.elements(from: size * (page - 1), size)
      let more = size * page < 240 ? #","continuation":"page-no-x\#(page + 1)""# : ""
      return (200, [], #"{"pagination":{"page_size":\#(size)\#(more)},"events":\#(elements)}"#)
    }
    #expect(list.pages.by == .next, "\(report.findings)")
    #expect(list.pages.atName == "continuation")
  }

  /// A refusal names what may be asked for.
  @Test func aTokensNameIsReadOfARefusal() async throws {
    let (list, report) = try await look { query in
      let known = ["max_results", "pagination_token"]
      guard query.others(than: known).isEmpty else {
        return (
          400, [],
          #"{"errors":[{"message":"is not one of [id,\#(known.joined(separator: ","))]"}]}"#
        )
      }
      let begin = query["pagination_token"].flatMap { Int($0.dropFirst(9)) } ?? 0
      let end = begin + query.number("max_results", or: 10)
      let next = end < 240 ? #""next_token":"MTcwMDAwM\#(end)""# : ""
      let elements = Self.elements(from: begin, end - begin)
      return (200, [], #"{"data":\#(elements),"meta":{\#(next)}}"#)
    }
    #expect(list.pages.atName == "pagination_token", "\(report.findings)")
  }

  /// What echoes the size is no token, though it stands beside one.
  @Test func theSizeBesideATokenIsNone() async throws {
    let (list, report) = try await look { query in
      let size = min(100, query.number("limit", or: 100))
      let begin = query["after"].flatMap { Int($0) }.map { 330 - $0 + 1 } ?? 0
      let end = begin + size
      let elements = (begin..<max(begin, min(330, end))).map { #"{"id":\#(330 - $0)}"# }
      let after = end < 330 ? "\"\(330 - end + 1)\"" : "null"
      let cursor = #"{"limit":"\#(size)","after":\#(after)}"#
      return (200, [], #"{"data":[\#(elements.joined(separator: ","))],"cursor":\#(cursor)}"#)
    }
    #expect(list.pages.atName == "after", "\(report.findings)")
    #expect(list.pages.by == .item || list.pages.next.text == "cursor.after")
  }

  /// The next page is a path of its own, below the list's.
  @Test func aPathBelowTheListIsFollowed() async throws {
    let (list, report) = try await look("http://api.example/v2/things?q=a") { query in
      let elements = Self.elements(from: query.path.hasSuffix("/01g-20") ? 20 : 0, 20)
      return (200, [], #"{"records":\#(elements),"nextUrl":"/v2/things/01g-20"}"#)
    }
    #expect(list.pages.by == .next, "\(report.findings)")
    #expect(list.pages.next.text == "nextUrl")
  }

  /// Without a size one element comes: the URL's own shows more.
  @Test func aSizeOfTheURLShowsMoreThanOneElement() async throws {
    let (list, report) = try await look("http://api.example/v2/things?limit=20") { query in
      let elements = Self.elements(
        from: query.number("skip", or: 0), min(100, query.number("limit", or: 1)))
      return (200, [], #"{"meta":{"total":240},"results":\#(elements)}"#)
    }
    #expect(list.pages.size == "limit", "\(report.findings)")
    #expect(list.pages.atName == "skip")
  }

  /// Each answer has a name of its own: what it has besides is the whole list all the same.
  @Test func theNameOfAnAnswerIsNoToken() async throws {
    let (list, report) = try await look { _ in
      let name = "request-\(Int.random(in: 0..<1_000_000_000))"
      return (200, [], #"{"Id":"\#(name)","Contacts":\#(Self.elements(from: 0, 233, of: 233))}"#)
    }
    #expect(list.order == .whole, "\(report.findings)")
  }

  /// An estimate is no total of the list.
  @Test func anEstimateIsNoTotal() async throws {
    let (list, report) = try await look { query in
      let elements = Self.elements(
        from: query.number("offset", or: 0), min(100, query.number("limit", or: 20)))
      return (200, [], #"{"resultSizeEstimate":201,"estimated_total":300,"items":\#(elements)}"#)
    }
    #expect(list.pages.total == nil, "\(report.findings)")
  }

  /// A rate's field is no total of the list.
  @Test func aRateIsNoTotal() async throws {
    let (list, report) = try await look { query in
      let elements = Self.elements(
        from: query.number("offset", or: 0), min(100, query.number("limit", or: 20)))
      return (200, ["X-RateLimit-Total: 5000"], elements)
    }
    #expect(list.pages.total == nil, "\(report.findings)")
  }

  /// What the URL of the second page has and the first one's has not says where it begins, though
  /// others say by such a name how many come.
  @Test func theSecondURLSaysTheNameOfThePlace() async throws {
    let (list, report) = try await look(second: "http://api.example/v2/things?first=100") { query in
      let elements = Self.elements(
        from: query.number("first", or: 0), query.number("max", or: 100))
      return (200, [], elements)
    }
    #expect(list.pages.by == .offset, "\(report.findings)")
    #expect(list.pages.atName == "first")
    #expect(list.pages.size == "max")
  }

  /// Fewer than twenty-five may not be asked for.
  @Test func aSizeMayHaveALeast() async throws {
    let (list, report) = try await look("http://api.example/v2/things?page_size=100") { query in
      let size = query.number("page_size", or: 100)
      guard (25...500).contains(size) else { return (400, [], "{}") }
      let elements = Self.elements(from: size * (query.number("page", or: 1) - 1), size)
      return (200, [], #"{"data":\#(elements),"results":240}"#)
    }
    #expect(list.pages.size == "page_size", "\(report.findings)")
    #expect(list.pages.by == .page)
    #expect(list.pages.accept == .upstream)
  }

  /// A size by a name that no other API uses, which the URL has, is no filter.
  @Test func aSizeThatTheURLGivesIsOne() async throws {
    let (list, report) = try await look("http://api.example/v2/things?num_wanted=50") { query in
      let size = min(100, query.number("num_wanted", or: 20))
      return (200, [], Self.elements(from: query.number("offset", or: 0), size))
    }
    #expect(list.pages.size == "num_wanted", "\(report.findings)")
  }

  /// The API calls itself by another name: numbers of its URLs lead on all the same.
  @Test func aNextPageOfAnotherHostTellsTheNumbersName() async throws {
    let (list, report) = try await look { query in
      let (size, page) = (min(50, query.number("menge", or: 20)), query.number("seite", or: 1))
      let elements = Self.elements(from: size * (page - 1), size)
      let next = "http://internal.local:8000/v2/things?menge=\(size)&seite=\(page + 1)"
      return (200, [], #"{"next":"\#(next)","items":\#(elements)}"#)
    }
    #expect(list.pages.by == .page, "\(report.findings)")
    #expect(list.pages.atName == "seite")
  }

  /// Where it is a token that such a URL has, the reason is said.
  @Test func aTokenInAURLOfAnotherHostIsSaidToBeElsewhere() async throws {
    await #expect {
      try await look { query in
        let begin = Int(query["seek"]?.dropFirst(4) ?? "0") ?? 0
        let next = "http://internal.local:8000/v2/things?seek=abcd\(begin + 20)"
        return (200, [], #"{"next":"\#(next)","items":\#(Self.elements(from: begin, 20))}"#)
      }
    } throws: { error in
      "\(error)".contains("next names http://internal.local:8000/v2/things")
    }
  }

  /// What is the same for one thing all its life names it, before what somebody wrote.
  @Test(arguments: [
    (#""name":"n-#","uri":"/things/#","link":"http://a.example/#""#, "uri"),
    (#""sha":"5f#","name":"n-#""#, "name"), (#""sha":"5f#","title":"A title of #""#, "sha"),
    (#""metadata":{"name":"n-#","uid":"u-#"}"#, "metadata.uid"),
  ])
  func anIdentityIsChosen(more: String, id: String) async throws {
    let (list, report) = try await look { query in
      let elements = Self.elements(
        from: query.number("offset", or: 0), query.number("limit", or: 20), more: more)
      return (200, [], elements)
    }
    #expect(list.id.text == id, "\(report.findings)")
  }

  /// Identities of two thousand millions are no instants.
  @Test(arguments: ["id", "thingID"]) func aLargeIdentityIsNoTime(name: String) async throws {
    let (list, report) = try await look { query in
      let elements = Self.elements(
        from: query.number("offset", or: 0), query.number("limit", or: 20),
        more: #""key":"k#","\#(name)":2000#"#
      ).replacing("created_at", with: "mood")
      return (200, [], elements.replacing(/"mood":"[^"]*"/, with: #""mood":"good""#))
    }
    #expect(list.time != .seconds, "\(report.findings)")
  }
}
