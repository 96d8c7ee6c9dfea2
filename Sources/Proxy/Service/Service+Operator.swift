import Bytes
import Feed
import HTTP
import JSONBytes
import Wire

/// What only an operator needs: how the server stands, a source's last upstream calls, and the
/// feeds that are stored of it. None of it names an address, a token, a key or a client.
extension Service {
  /// Does the asked work off the loop and answers with the JSON it gives. Whole feeds may be read
  /// for it, so that replies do not wait behind it.
  func answerOperator(
    _ context: RequestContext, _ responder: HeldResponder,
    _ body: @escaping @Sendable (Service) async throws(Rejection) -> [UInt8]
  ) {
    Task(executorPreference: state.lists) { [self] in
      var response: Response
      do throws(Rejection) {
        response = self.response(state: try await body(self), context)
      } catch {
        response = Response(error, for: context)
      }
      responder.send(finished(response, for: context))
    }
  }

  /// The body of `/v1:status`.
  func serverStatus() async -> [UInt8] {
    var statuses: [(SourceBinding, ReaderStatus)] = []
    for source in sources.values.sorted(by: { $0.name < $1.name }) {
      statuses.append((source, await source.reader.status))
    }
    let load = store.load
    let server: JSONObject = [
      "version": version, "startedAt": RFC3339.text(state.startedAt), "drains": state.drains,
      "connections": metrics.connections, "listeners": events.counts.listening,
      "store": [
        "bytes": load.bytes, "bytesMax": storeLimits.bytes, "feeds": load.feeds,
        "feedsMax": storeLimits.feeds,
      ] as JSONObject,
      "sources": JSONObject(
        statuses.map { (name: $0.name, value: JSONObject($1, of: $0)) }),
    ]
    return server.bytes(capacity: 1024)
  }

  /// The body of `/v1/{source}:calls`: those after a number, the oldest first.
  func lastCalls(of source: SourceBinding, after number: Int, limit: Int) -> [UInt8] {
    let calls = source.calls.recent(after: number, limit: limit)
    let body: JSONObject = [
      "boot": state.boot, "calls": calls.map { JSONObject($0, of: source) },
      "next": calls.last?.number ?? number,
    ]
    return body.bytes(capacity: 256 + 256 * calls.count)
  }

  /// The body of `/v1/{source}:feeds`: the feeds after one, the last read first.
  func storedFeeds(
    of source: SourceBinding, after name: String?, limit: Int
  ) async throws(Rejection) -> [UInt8] {
    let reads = await source.reader.reads
    let all = try reading { () throws(StoreError) in
      try store.feeds().filter { $0.source == source.name }.read(at: reads)
        .sorted { ($1.readAt, $0.name) < ($0.readAt, $1.name) }
    }
    var rest = all[...]
    if let name {
      guard let index = all.firstIndex(where: { $0.name == name }) else {
        throw .parameter("startAfter", "startAfter is the name of a feed that is stored.")
      }
      rest = all[(index + 1)...]
    }
    let shown = rest.prefix(limit)
    let rows = try reading { () throws(StoreError) in
      try shown.map { (feed) throws(StoreError) in
        let timeline = try store.foot(of: feed.name, limit: 0)?.timeline ?? Timeline()
        return JSONObject(feed, timeline, bytes: try store.contentBytes(of: feed.name))
      }
    }
    let hasMore = rest.count > rows.count
    let body: JSONObject = [
      "feeds": rows, "hasMore": hasMore,
      "next": hasMore ? next(after: shown.last?.name ?? "", of: source, limit: limit) : nil,
    ]
    return body.bytes(capacity: 64 + 256 * rows.count)
  }

  private func reading<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(Rejection) -> Value {
    do throws(StoreError) {
      return try body()
    } catch {
      throw Rejection(.overloaded, "The store cannot be read.", retryAfterSeconds: 5)
    }
  }

  private func next(after name: String, of source: SourceBinding, limit: Int) -> String {
    let url = ByteText.bytes(capacity: 64 + 3 * name.utf8.count) { url in
      url.append("\(links.path)/v1/\(source.name):feeds?limit=\(limit)&startAfter=")
      url.append(percentEncoding: name)
    }
    return String(decoding: url, as: UTF8.self)
  }
}

extension JSONObject {
  /// A stored feed as an operator sees it.
  fileprivate init(_ feed: StoredFeed, _ timeline: Timeline, bytes: Int64) {
    let path = feed.name.dropFirst(feed.source.utf8.count + 1)
    let mark = path.firstIndex(of: "?")
    self = [
      "feed": feed.name, "path": String(path[..<(mark ?? path.endIndex)]),
      "query": mark.map { String(path[path.index(after: $0)...]) }, "order": feed.order.rawValue,
      "items": timeline.proofs.reduce(0) { $0 + $1.count }, "runs": timeline.runs.count,
      "gaps": max(0, timeline.runs.count - 1), "checkedAt": timeline.lookedAt.map(RFC3339.text),
      "readAt": feed.readAt.milliseconds > 0 ? RFC3339.text(feed.readAt) : nil, "bytes": bytes,
    ]
  }

  /// A source's status.
  fileprivate init(_ status: ReaderStatus, of source: SourceBinding) {
    let flights = status.underway.map { call -> JSONObject in
      [
        "feed": "\(source.name)/\(call.path)", "purpose": "\(call.purpose)",
        "page": call.window?.page, "perPage": call.window?.perPage,
        "sentAt": RFC3339.text(call.sentAt),
      ]
    }
    let failure = source.calls.lastFailure.map { failure, endedAt -> JSONObject in
      ["outcome": failure.word, "at": RFC3339.text(endedAt)]
    }
    self = [
      "kind": source.kind.rawValue, "budget": JSONObject(status.budget), "flights": flights,
      "feeds": status.feeds, "gaps": status.gaps, "policy": JSONObject(source.reader.policy),
      "failure": failure,
    ]
  }

  /// A call that ended; page and size are null for a single item.
  fileprivate init(_ numbered: UpstreamCalls.Numbered, of source: SourceBinding) {
    let call = numbered.call
    self = [
      "number": numbered.number, "feed": "\(source.name)/\(call.path)",
      "purpose": "\(call.purpose)", "page": call.window?.page, "perPage": call.window?.perPage,
      "sentAt": RFC3339.text(call.sentAt),
      "milliseconds": max(0, (call.receivedAt - call.sentAt).inMilliseconds),
      "outcome": call.failure?.word ?? "ok", "elements": call.count,
      "remaining": call.budget.remaining,
    ]
  }
}
