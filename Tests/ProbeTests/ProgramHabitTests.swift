import Feed
import Testing

@testable import Probe
@testable import Upstream

/// Habits of programs that were asked for a list as they run, each as small as shows it.
@Suite struct ProgramHabitTests: HabitSuite {
  /// MLflow: who does not say how many is refused.
  @Test func whatSaysHowManyMayBeNeeded() async throws {
    let (list, report) = try await look("http://api.example/v2/things?max_results=50") { query in
      guard let size = query["max_results"].flatMap(Int.init), size > 0 else {
        return (400, [], #"{"message":"Invalid value 0 for parameter 'max_results' supplied."}"#)
      }
      let begin = Int(query["page_token"]?.dropFirst(6) ?? "") ?? 0
      let next = begin + size < 240 ? #","next_page_token":"offset\#(begin + size)""# : ""
      return (200, [], #"{"things":\#(Self.elements(from: begin, size))\#(next)}"#)
    }
    #expect(list.pages.size == "max_results" && list.pages.at == "page_token", "\(report.findings)")
    #expect(list.pages.next.text == "next_page_token" && list.pages.max == 100)
  }

  /// Mailman and RabbitMQ: pages are there, or have their shape, only where one is asked for.
  @Test(arguments: [true, false]) func aPageMayHaveToBeNamed(isRefused: Bool) async throws {
    let (list, report) = try await look("http://api.example/v2/things?count=50&page=1") { query in
      let size = query.number("count", or: 100)
      guard let page = query["page"].flatMap(Int.init), query["count"] != nil || !isRefused else {
        return isRefused ? (500, [], "{}") : (200, [], Self.elements(from: 0, 240))
      }
      guard page <= 240 / size + 1 else { return (400, [], "{}") }
      let elements = Self.elements(from: (page - 1) * size, size)
      return (200, [], #"{"items":\#(elements),"page":\#(page),"filtered_count":240}"#)
    }
    #expect(list.pages.by == .page && list.pages.size == "count", "\(report.findings)")
    #expect(list.items.text == "items" && list.pages.max == 100)
    #expect(list.pages.total?.text == "filtered_count")
  }

  /// Matrix: a token that goes by no such name, of each size another. The second page is that of
  /// the size in its URL.
  @Test(arguments: [nil, "&from=t328-50_0"]) func aTokenMayHaveAnyName(second: String?) async throws
  {
    let url = "http://api.example/v2/things?dir=b&limit=50"
    let (list, report) = try await look(url, second: second.map { url + $0 }) { query in
      let size = query.number("limit", or: 10)
      let token = query["from"].map { $0.split(separator: "-") }
      guard token.map({ $0.count == 2 && $0[0] == "t328" }) ?? true else {
        return (400, [], #"{"error":"'from' parameter is invalid"}"#)
      }
      let begin = token.flatMap { Int($0[1].prefix { $0 != "_" }) } ?? 0
      let end = begin + size < 240 ? #","end":"t328-\#(begin + size)_0""# : ""
      let chunk = Self.elements(from: begin, size, more: #""event_id":"$e#""#)
      return (200, [], #"{"chunk":\#(chunk),"start":"t328-\#(begin)_0"\#(end)}"#)
    }
    #expect(list.pages.by == .next && list.pages.at == "from", "\(report.findings)")
    #expect(list.pages.next.text == "end" && list.pages.size == "limit")
  }

  /// Buildbot: what a thing ends with is not there while it runs.
  @Test(arguments: [("?order=-buildid", "buildid"), ("", "started_at")])
  func aListIsOrderedByWhatItIsSortedBy(query: String, key: String) async throws {
    let (list, report) = try await look("http://api.example/v2/things\(query)") { query in
      let begin = query.number("offset", or: 0)
      let end = min(240, begin + query.number("limit", or: 100))
      let elements = (min(begin, end)..<end).map { rank in
        let second = 1_765_300_000 - 60 * rank
        return #"{"buildid":\#(900 - rank),"complete_at":\#(second),"started_at":\#(second - 30)}"#
      }
      return (200, [], #"{"builds":[\#(elements.joined(separator: ","))]}"#)
    }
    #expect(list.key?.text == key, "\(report.findings)")
  }

  /// Kubernetes: how many are left below a page, where one has a size.
  @Test func whatIsLeftIsNoTotal() async throws {
    let (list, report) = try await look { query in
      let size = query.number("limit", or: 240)
      let begin = Int(query["continue"]?.dropFirst(15) ?? "") ?? 0
      let end = begin + size
      let more = #","continue":"eyJ2IjoibWV0YS-\#(end)","remainingItemCount":\#(240 - end)"#
      let rest = end < 240 ? more : ""
      return (200, [], #"{"items":\#(Self.elements(from: begin, size))\#(rest)}"#)
    }
    #expect(list.pages.next.text == "continue" && list.pages.total == nil, "\(report.findings)")
  }

  /// Isso: a total that counts answers, too. Django REST JSON:API: one that comes with a size.
  @Test(arguments: [(390, true), (330, true), (330, false)])
  func aTotalIsThatOfTheList(total: Int, isAlways: Bool) async throws {
    let (list, report) = try await look { query in
      let (begin, size) = (query.number("offset", or: 0), query.number("limit", or: 330))
      let more = isAlways || query["limit"] != nil ? #","total":\#(total)"# : ""
      return (200, [], #"{"data":\#(Self.elements(from: begin, size, of: 330))\#(more)}"#)
    }
    #expect(list.pages.total?.text == (total == 330 ? "total" : nil), "\(report.findings)")
  }

  /// FastAPI, pygeoapi: the size of the second page is the one that comes unasked. A page's number
  /// that is called otherwise is known where the URL has it.
  @Test(arguments: [("", "?pageIndex=1&pageSize=10"), ("?pageIndex=0&pageSize=10", nil)])
  func aSizeMayBeTheUsualOne(query: String, second: String?) async throws {
    let url = "http://api.example/v2/things"
    let (list, report) = try await look(url + query, second: second.map { url + $0 }) { query in
      let size = min(50, query.number("pageSize", or: 10))
      return (200, [], Self.elements(from: query.number("pageIndex", or: 0) * size, size))
    }
    #expect(list.pages.by == .page && list.pages.at == "pageIndex", "\(report.findings)")
    #expect(list.pages.size == "pageSize" && list.pages.max == 50 && list.pages.first == 0)
  }
}
