import Feed
import Settings
import Simulator
import Support
import Testing

@testable import Upstream

/// What two calls tell of a recipe that holds, and of some that do not.
@Suite struct RecipeTrialTests {
  private static let client = try? UpstreamClient(version: "test")

  private func findings(
    _ face: Face, pages: String, feed: String
  ) async throws -> [RecipeTrial.Finding] {
    let world = World(WorldOptions(itemCount: 400, tieProbability: 0.1, bodyBytes: 20))
    let upstream = SimulatedQiita(Qiita(world, options: .init(budget: 1_000, face: face)))
    let port = try upstream.start()
    let json = """
      {"sources":{"s":{"kind":"http","baseURL":"http://127.0.0.1:\(port)",
      "pages":{\(pages)},"feeds":{"items":{\(feed)}}}}}
      """
    let configuration = try Configuration.read(Array(json.utf8))
    guard case .http(let http)? = configuration.sources["s"] else { throw FetchError.notFound }
    let client = try #require(Self.client)
    let clock = HandClock(at: Timestamp(seconds: 1_765_300_000))
    let fetcher = ListFetcher(http.recipe, client: client, clock: clock)
    let feed = FeedID(
      source: "s", pattern: http.recipe.patterns[0], parts: [Array("items".utf8)])
    var trial = RecipeTrial(of: http.recipe.lists[0], feed, through: fetcher)
    let findings = await trial.run()
    await upstream.stop()
    return findings
  }

  private static let good = #""items":"items","order":"-created_at""#

  @Test(arguments: [
    (Face.Addressing.page, #""size":"size""#), (.offset, #""by":"offset","size":"size""#),
    (.item, #""by":"item","at":"after","size":"size""#),
    (.time, #""by":"time","at":"before","size":"size""#),
    (.next, #""by":"next","at":"token","next":"next","size":"size""#),
  ])
  func aRecipeThatHoldsIsToldSo(_ addressing: Face.Addressing, pages: String) async throws {
    let findings = try await findings(Face(addressing), pages: pages, feed: Self.good)
    #expect(findings.allSatisfy { !$0.isWrong }, "\(findings)")
    #expect(findings.contains { $0.text.hasPrefix("pages.by: ") })
  }

  @Test(arguments: [
    // Fields that are not there, or are not what they are taken for.
    (#""size":"size""#, #""items":"items","id":"nope""#, "id: nope in 0 of 100"),
    (#""size":"size""#, #""items":"items","order":"-nope""#, "order: nope in 0 of 100"),
    (#""size":"size""#, #""items":"items","order":"-title""#, "order: title in 0 of 100"),
    (#""size":"size""#, #""items":"nope""#, "path: no JSON array at nope"),
    (#""size":"size""#, #""items":"""#, "path: not a JSON array"),
    (#""size":"size""#, #""items":"items","item":"nope""#, "item: 100 of 100"),
    (#""size":"size","total":"nope""#, good, "pages.total: nope says nothing"),
    // An order that is not so.
    (
      #""size":"size""#, #""items":"items","order":"-likes_count","time":"number""#,
      "order: "
    ),
    // A way that leads elsewhere.
    (#""by":"offset","size":"size""#, good, "pages.by: a page asked for from rank 50 on begins at"),
    (#""size":"size","first":0"#, good, "path: it answered 400"),
    (#""at":"p","size":"size""#, good, "pages.by: a page asked for from rank 50 on begins at"),
    (#""by":"item","at":"after","size":"size""#, good, "pages.by: a page asked for from rank"),
    // A size that lies.
    (#""size":"per_page""#, good, "path: more than 10 elements"),
    (#""size":"per_page","total":"total""#, good, "pages.max: 20 of 100 came, and more follows"),
  ])
  func aRecipeThatDoesNotHoldIsToldSo(pages: String, feed: String, words: String) async throws {
    let findings = try await findings(Face(.page), pages: pages, feed: feed)
    #expect(findings.contains { $0.isWrong && $0.text.contains(words) }, "\(findings)")
  }
}
