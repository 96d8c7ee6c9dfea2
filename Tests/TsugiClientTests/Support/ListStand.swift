import Foundation
import TsugiClient
import TsugiClientTesting

/// A list over a scripted network and a clock moved by hand.
@MainActor struct ListStand {
  let transport: ScriptedTransport
  let clock = ManualClock()
  let list: PagedList<Post>

  init(
    options: PagedOptions = PagedOptions(prefetchDistance: 1), limit: Int = 3,
    _ answer: ScriptedTransport.Answering? = nil
  ) throws {
    transport = ScriptedTransport(answer)
    let client = try FeedClient.scripted(transport, clock: clock)
    list = PagedList(client.feed("qiita/items", limit: limit), options: options)
  }

  /// The ids the list shows.
  var ids: [String] { list.items.map(\.id) }

  /// The query of each request so far.
  var asked: [String] { transport.requests.map { $0.url.query ?? "" } }

  /// Waits until something holds.
  func until(_ holds: () -> Bool) async {
    while !holds() { await Task.yield() }
  }

  /// Waits until nothing is under way.
  func settle() async {
    await until {
      !list.refreshState.isLoading && !list.moreState.isLoading && !list.previousState.isLoading
    }
  }

  /// A row of an id comes onto the screen.
  func see(_ ids: String...) {
    for id in ids {
      if let item = list.items.first(where: { $0.id == id }) { list.appeared(item) }
    }
  }
}
