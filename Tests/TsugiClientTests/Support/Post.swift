import Foundation
import Testing
import TsugiClient
import TsugiClientTesting

/// An item of which a test wants to know little.
struct Post: Identifiable, Codable, Hashable, Sendable {
  var id: String
  var title: String?

  /// A post as JSON.
  static func json(_ id: String, title: String? = nil) -> String {
    let title = title.map { #","title":"\#($0)""# } ?? ""
    return #"{"id":"\#(id)"\#(title)}"#
  }
}

extension FeedClient {
  /// A client of a scripted network.
  static func scripted(
    _ transport: ScriptedTransport, apiKey: String? = nil,
    clock: any Clock<Duration> = ManualClock()
  ) throws -> FeedClient {
    let url = try #require(URL(string: "https://api.example/tsugi/"))
    var client = FeedClient(baseURL: url, apiKey: apiKey, transport: transport)
    client.clock = clock
    return client
  }
}

extension TransportReply {
  /// A slice of posts by their ids, with cursors after the first and the last.
  static func posts(
    _ ids: String..., hasMore: Bool, seq: String = "epoch.1", gap: (id: String, skip: String)? = nil
  ) -> TransportReply {
    slice(
      of: ids.map { Post.json($0) }, hasMore: hasMore, start: ids.first.map { "<\($0)" },
      end: ids.last.map { ">\($0)" }, gap: gap, seq: seq)
  }
}

extension TransportRequest {
  /// The value of a parameter, decoded.
  subscript(_ name: String) -> String? {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
    return items?.first { $0.name == name }?.value
  }
}

extension ManualClock {
  /// Waits until somebody pauses. A request's own deadline is 60 s from when it was made and goes
  /// with it, so what is left once nothing is under way is a pause.
  func pauses() async {
    await sleepers(1, dueWithin: .milliseconds(59_999))
  }
}
