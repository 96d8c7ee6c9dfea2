import ArgumentParser
import Feed
import Upstream

/// `tsugi walk`: follows a feed's `next` to its end.
struct Walk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Walks a feed of a running server to its end and prints every item.",
    discussion: """
      Items go to standard output, one a line: with ndjson the very bytes the server sent, only \
      line ends between an item's tokens become spaces; a table shows what names an item, its time \
      and a text. Progress and a summary go to standard error. It waits where the server says so, \
      for the upstream's budget up to an hour; when that is not enough, it says how to continue.

      Example: tsugi walk http://127.0.0.1:8080/v1/qiita/items --limit 100 --format table
      """)

  @Argument(
    help: ArgumentHelp(
      "The feed, as http://127.0.0.1:8080/v1/qiita/items.", valueName: "URL"),
    transform: parseURL)
  var url: FeedURL

  @Option(
    help: "Items in a slice; above 100 it is 100 (default: 20).",
    transform: number(in: 1...Int.max))
  var limit: Int?

  @Option(help: "Fields of each item, as id,title,user.id (default: all).")
  var fields: String?

  @OptionGroup var access: ServerAccess

  @Option(help: "How an item is printed.")
  var format = WalkFormat.ndjson

  func run() async throws {
    let progress = WalkProgress(stream: .error)
    let key = try access.key()
    let client = try SliceClient.transport()
    let slices = SliceClient(client: client, key: key, tell: { progress.tell($0) })
    try await walk(slices, progress)
    await client.close()
  }

  private func walk(_ slices: SliceClient, _ progress: WalkProgress) async throws(CommandError) {
    var tally = WalkTally()
    var place = firstURL
    while true {
      let slice: WalkedSlice
      do throws(CommandError) {
        slice = try await slices.slice(at: place)
      } catch {
        if tally.slices > 0 { progress.tell("to go on from here: \(command(from: place))") }
        throw error
      }
      let outcome = StandardStream.output.write(slice.items.flatMap(format.line))
      try outcome.check()
      // As when piped into `head`: the reader has enough, and a summary would be of a part.
      if outcome == .readerGone { return }
      tally.add(slice)
      progress.show(tally)
      guard let next = slice.next else { return progress.end(tally) }
      guard let following = place.following(next), following != place else {
        throw .lostWay(next: next)
      }
      place = following
    }
  }

  /// What goes on at a place, which has `limit` and `fields` in it.
  private func command(from place: FeedURL) -> String {
    let format = format == .ndjson ? "" : " --format \(format)"
    let key = access.path.map { " --key-file '\($0)'" } ?? ""
    return "tsugi walk '\(place)'\(format)\(key)"
  }

  /// The URL with the options in it; a parameter that stands in both is the server's to refuse.
  private var firstURL: FeedURL {
    var url = url
    if let limit { url.append("limit", String(limit)) }
    if let fields { url.append("fields", fields) }
    return url
  }

  private static func parseURL(_ text: String) throws -> FeedURL {
    guard let url = FeedURL(text) else {
      throw ValidationError("an absolute http or https URL is allowed")
    }
    return url
  }
}
