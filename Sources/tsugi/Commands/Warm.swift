import ArgumentParser
import Feed
import Upstream

/// `tsugi warm`: has a running server fill a feed ahead.
struct Warm: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Has a running server fetch a feed ahead, so that readers find it stored.",
    discussion: """
      It reads the feed from the top as a client would and waits where the server says so, for the \
      upstream's budget up to an hour. Progress goes to standard error, as a bar where a person \
      looks; the outcome, with the calls that are left, to standard output.

      Example: tsugi warm http://127.0.0.1:8080/v1/qiita/items --items 1000
      """)

  @Argument(
    help: ArgumentHelp(
      "The feed, as http://127.0.0.1:8080/v1/qiita/items; of parameters it takes query alone.",
      valueName: "URL"),
    transform: parseURL)
  var url: FeedURL

  @OptionGroup var access: ServerAccess

  @Option(
    help: "How many items from the top, 1 to 1000000 (default: all).",
    transform: number(in: 1...1_000_000))
  var items: Int?

  func run() async throws {
    let progress = WarmProgress(stream: .error)
    let key = try access.key()
    let client = try SliceClient.transport()
    let slices = SliceClient(
      client: client, key: key, tell: { progress.tell($0) })
    let state = try await warm(slices, progress)
    progress.end()
    await client.close()
    try StandardStream.output.writeLine(state.outcome).check()
  }

  private func warm(
    _ slices: SliceClient, _ progress: WarmProgress
  ) async throws(CommandError) -> WarmState {
    var place = url
    place.append("limit", String(min(items ?? SliceRequest.limitMax, SliceRequest.limitMax)))
    // The least a slice can carry: what is wanted happens on the server.
    place.append("fields", "id")
    var read = 0
    while true {
      let slice = try await slices.slice(at: place)
      read += slice.items.count
      let state = WarmState(
        read: read, wanted: items, endReason: slice.endReason,
        status: try await slices.status(of: url))
      progress.show(state)
      guard let next = slice.next, !state.hasEnough else { return state }
      guard let following = place.following(next), following != place else {
        throw .lostWay(next: next)
      }
      place = following
    }
  }

  private static func parseURL(_ text: String) throws -> FeedURL {
    guard let url = FeedURL(text) else {
      throw ValidationError("an absolute http or https URL is allowed")
    }
    guard url.parameters.allSatisfy({ $0.hasPrefix("query=") }) else {
      throw ValidationError("no parameter but query is allowed: a feed is filled from its top")
    }
    return url
  }
}
