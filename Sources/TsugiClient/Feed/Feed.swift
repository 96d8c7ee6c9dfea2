import Foundation
import Wire

/// A feed of the server, as items of one type.
///
/// Ask for one ``FeedSlice`` after the other, or walk it by ``slices`` or ``items``; a list on a
/// screen is better served by ``PagedList``.
public struct Feed<Item: Decodable & Sendable>: Sendable {
  /// The server it is a feed of.
  public let client: FeedClient
  /// Its source and path.
  public let path: FeedPath
  /// How many items a slice holds, 1 to 100; the server serves more as 100.
  public var limit: Int
  /// The source's own search text.
  public var query: String?
  /// What the source itself takes besides (`["state": "paid"]`), sent sorted by name. The name of a
  /// ``SliceRequest``'s or the feed's own parameter, as `limit` or `query`, throws `.request`.
  public var parameters: [String: String]
  /// The paths that items are cut to; all of an item when empty.
  public var fields: [String]
  /// How long the server may wait for its upstream, at most 30 s, as which more is sent; nil for
  /// its own default.
  public var wait: Duration?

  /// A feed from its parts.
  init(
    client: FeedClient, path: FeedPath, limit: Int, query: String?, parameters: [String: String],
    fields: [String]
  ) {
    self.client = client
    self.path = path
    self.limit = limit
    self.query = query
    self.parameters = parameters
    self.fields = fields
  }

  /// Which collection it is, of all of the server: path, search and parameters, encoded and sorted:
  /// `shop/orders?by=day&state=paid`.
  public var name: String {
    var all = parameters
    if let query { all[SliceParameter.query.rawValue] = query }
    let pairs = all.sorted { $0.key < $1.key }
      .map { "\(percentEncoded($0.key))=\(percentEncoded($0.value))" }
    return path.text + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
  }

  /// The slice after a cursor, or the first one. `refresh` has the server look upstream first; it
  /// is for the first slice only.
  ///
  /// - Throws: `TsugiError`, `CancellationError`.
  public func slice(
    after cursor: FeedCursor? = nil, refresh: Bool = false
  ) async throws -> FeedSlice<Item> {
    let start = cursor.map { SliceRequest.Start.after(.cursor($0)) }
    return try await slice(SliceRequest(start: start, refresh: refresh))
  }

  /// The slice that ends right before a cursor.
  ///
  /// - Throws: `TsugiError`, `CancellationError`.
  public func slice(before cursor: FeedCursor) async throws -> FeedSlice<Item> {
    try await slice(SliceRequest(end: .before(.cursor(cursor)), limitToLast: true))
  }

  /// The slice of a range.
  ///
  /// - Throws: `TsugiError`, `CancellationError`.
  public func slice(_ request: SliceRequest) async throws -> FeedSlice<Item> {
    var target = try self.itemsTarget(limit: request.limit ?? limit)
    request.addBounds(to: &target)
    let slice = try FeedSlice<Item>(
      try await client.body(of: target), decoder: client.makeDecoder())
    logDropped(slice.undecodable)
    return slice
  }

  /// Logs what could not be read.
  func logDropped(_ undecodable: [UndecodableItem]) {
    for item in undecodable { client.log?(.dropped(feed: path.text, reason: item.reason)) }
  }

  /// What every request of this feed asks for: a verb, and which search it is.
  func target(_ verb: FeedVerb?, limit: Int? = nil) throws -> Target {
    var target = Target(path: try path.encoded() + (verb.map { ":\($0)" } ?? ""))
    if let limit { target.add(SliceParameter.limit.rawValue, String(limit)) }
    if let query { target.add(SliceParameter.query.rawValue, query) }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      guard SliceParameter(rawValue: name) == nil else {
        throw TsugiError.request("\(name) is a parameter of every feed, not one of the source's")
      }
      target.add(name, value)
    }
    return target
  }

  /// What one that brings items asks for besides: what of them, and how long it may take.
  func itemsTarget(_ verb: FeedVerb? = nil, limit: Int?) throws -> Target {
    var target = try self.target(verb, limit: limit)
    if !fields.isEmpty { target.add("fields", fields.joined(separator: ",")) }
    if let wait {
      let (seconds, attoseconds) = min(max(wait, .zero), .seconds(30)).components
      let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
      target.add(SliceParameter.wait.rawValue, String(milliseconds))
    }
    return target
  }
}
