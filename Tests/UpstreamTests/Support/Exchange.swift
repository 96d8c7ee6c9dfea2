import Bytes
import Feed
import Settings
import Support

@testable import Upstream

/// When everything here happens.
let standstill = Timestamp(seconds: 1_763_690_000)

/// One client against one scripted upstream, for the time of `body`.
func exchange<Result>(
  _ upstream: ScriptedUpstream, token: Secret? = nil,
  limits: TransferLimits = .forTests, body: (ListFetcher, UpstreamClient) async throws -> Result
) async throws -> Result {
  upstream.start()
  defer { upstream.stop() }
  let client = try UpstreamClient(version: "0.0.0")
  guard let base = BaseURL(upstream.url + "/api/v2") else { throw FetchError.notFound }
  var recipe = Presets.qiita
  recipe.baseURL = base
  recipe.credential = token.map { .bearer($0) }
  let fetcher = ListFetcher(
    recipe, client: client, clock: HandClock(at: standstill), limits: limits)
  let result = try await body(fetcher, client)
  await client.close()
  return result
}

/// What the fetcher makes of these steps, asked for the first window of `items`.
func firstPage(
  _ steps: [ScriptedUpstream.Step], of feed: FeedID = .items, limits: TransferLimits = .forTests
) async throws -> Fetched<Page> {
  try await exchange(ScriptedUpstream(always: steps), limits: limits) { fetcher, _ in
    await fetcher.page(Window(page: 1, perPage: 100), of: feed)
  }
}

extension TransferLimits {
  /// Short enough for a test to reach, long enough for a machine that is busy.
  static let forTests: TransferLimits = {
    var limits = TransferLimits()
    limits.bodyBytesMax = 4 << 20
    return limits
  }()
}
