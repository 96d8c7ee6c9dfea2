import Feed
import Settings
import Support
import Testing

@testable import Probe
@testable import Upstream

/// A look at a stand-in at the socket, and the list as it is walked by what was written down.
struct Look {
  let report: Report
  let list: ListRecipe
  /// The identities that the walk shows.
  let ids: [String]
  /// What the list has.
  let all: [String]

  private static let client = try? UpstreamClient(version: "test")

  /// - Throws: why nothing was written down.
  init(
    at standIn: StandIn, query: String = "", calls: Int = Inquiry.callsMax, second: String? = nil,
    isMoving: Bool = false, refusing: @escaping ListeningStandIn.Refusals = { _ in nil },
    pause: @escaping (Int) async -> Void = { _ in }
  ) async throws {
    let upstream = try ListeningStandIn(standIn, isMoving: isMoving, refusing: refusing)
    let base = "http://127.0.0.1:\(upstream.port)"
    let client = try #require(Self.client)
    let url = try #require(ListAddress("\(base)/api/items\(query)"))
    var inquiry = Inquiry(
      url, second: second.flatMap { ListAddress("\(base)/api/items?\($0)") }, callsMax: calls,
      pause: pause
    ) { url, lines throws(FetchError) in
      try await client.reply(from: url, headerLines: lines)
    }
    let result: Result<Report, Inquiry.Failure>
    do throws(Inquiry.Failure) {
      result = .success(try await inquiry.run())
    } catch {
      result = .failure(error)
    }
    #expect(upstream.callCount <= calls)
    all = upstream.rest()
    do {
      report = try result.get()
      let recipe = try report.recipe()
      list = recipe.lists[0]
      ids = try await Look.walk(recipe, client)
      await upstream.stop()
    } catch {
      await upstream.stop()
      throw error
    }
  }

  /// The identities, page by page as the recipe says, to the page that says it is the last.
  private static func walk(_ recipe: Recipe, _ client: UpstreamClient) async throws -> [String] {
    let fetcher = ListFetcher(
      recipe, client: client, clock: HandClock(at: Timestamp(seconds: 1_765_300_000)))
    let pattern = recipe.patterns[0]
    let parts = [Array(pattern.path.utf8)]
    let feed = FeedID(source: "s", pattern: pattern, parts: parts)
    let paging = pattern.paging
    var window = paging.top(perPage: paging.perPageMax)
    var ids: [String] = []
    for number in 1...60 {
      let page = try await fetcher.page(window, of: feed).result.get()
      ids += page.items.map(\.item.id.text)
      guard pattern.order != .whole else { return ids }
      guard page.hasNext || page.nextMark != nil || page.count >= window.perPage,
        let last = page.items.last?.item
      else { return ids }
      switch paging.addressing {
      case .page, .pages: window = Window(page: number + 1, perPage: window.perPage)
      case .offset: window = Window(offset: ids.count, perPage: window.perPage)
      case .anchor, .key:
        let mark = try #require(fetcher.mark(of: last, in: feed))
        window = Window(.mark(mark, rank: ids.count), perPage: window.perPage)
      case .next:
        guard let mark = page.nextMark else { return ids }
        window = Window(.mark(mark, rank: ids.count), perPage: window.perPage)
      }
    }
    return ids
  }
}

extension Report {
  /// What is written down, as a server would read it.
  func recipe() throws -> Recipe {
    let secrets = variables.map { ($0, "a-secret-of-a-test") }
    let configuration = try Configuration.read(
      Array(self.configuration.utf8), environment: Dictionary(uniqueKeysWithValues: secrets))
    guard case .http(let http)? = configuration.sources[source] else { throw FetchError.notFound }
    return http.recipe
  }
}
