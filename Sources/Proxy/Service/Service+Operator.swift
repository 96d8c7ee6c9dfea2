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
        response = Response(state: try await body(self))
        response.fields.append("Vary", "Accept-Encoding")
        response = state.encoded(response, for: context)
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
    return JSONWriter.bytes(capacity: 1024) { json in
      json.append(raw: "{\"version\":")
      json.append(version)
      json.appendName("startedAt")
      json.append(state.startedAt)
      json.appendName("drains")
      json.append(state.drains)
      json.appendName("connections")
      json.append(metrics.connections)
      json.appendName("listeners")
      json.append(events.counts.listening)
      json.append(raw: ",\"store\":{\"bytes\":")
      json.append(load.bytes)
      json.appendName("bytesMax")
      json.append(storeLimits.bytes)
      json.appendName("feeds")
      json.append(load.feeds)
      json.appendName("feedsMax")
      json.append(storeLimits.feeds)
      json.append(raw: "},\"sources\":{")
      for (index, (source, status)) in statuses.enumerated() {
        if index > 0 { json.append(raw: ",") }
        json.append(source.name)
        json.append(raw: ":")
        json.append(status, of: source)
      }
      json.append(raw: "}}")
    }
  }

  /// The body of `/v1/{source}:calls`: those after a number, the oldest first.
  func lastCalls(of source: SourceBinding, after number: Int, limit: Int) -> [UInt8] {
    let calls = source.calls.recent(after: number, limit: limit)
    return JSONWriter.bytes(capacity: 256 + 256 * calls.count) { json in
      json.append(raw: "{\"boot\":")
      json.append(state.boot)
      json.appendName("calls")
      json.appendList(calls) { $0.append($1, of: source) }
      json.appendName("next")
      json.append(calls.last?.number ?? number)
      json.append(raw: "}")
    }
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
    let rows = try reading { () throws(StoreError) in
      try rest.prefix(limit).map { (feed) throws(StoreError) in
        let timeline = try store.foot(of: feed.name, limit: 0)?.timeline ?? Timeline()
        return StoredFeedRow(feed, timeline, bytes: try store.contentBytes(of: feed.name))
      }
    }
    return JSONWriter.bytes(capacity: 64 + 256 * rows.count) { json in
      let hasMore = rest.count > rows.count
      json.append(raw: "{\"feeds\":")
      json.appendList(rows) { $1.append(to: &$0) }
      json.appendName("hasMore")
      json.append(hasMore)
      json.appendName("next")
      json.append(
        hasMore ? next(after: rows.last?.feed.name ?? "", of: source, limit: limit) : nil)
      json.append(raw: "}")
    }
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
      url.append("/v1/\(source.name):feeds?limit=\(limit)&startAfter=")
      url.append(percentEncoding: name)
    }
    return String(decoding: url, as: UTF8.self)
  }
}

/// A stored feed as an operator sees it.
private struct StoredFeedRow {
  let feed: StoredFeed
  let timeline: Timeline
  let bytes: Int64

  init(_ feed: StoredFeed, _ timeline: Timeline, bytes: Int64) {
    (self.feed, self.timeline, self.bytes) = (feed, timeline, bytes)
  }

  func append(to json: inout JSONWriter) {
    let path = feed.name.dropFirst(feed.source.utf8.count + 1)
    let mark = path.firstIndex(of: "?")
    json.append(raw: "{\"feed\":")
    json.append(feed.name)
    json.appendName("path")
    json.append(String(path[..<(mark ?? path.endIndex)]))
    json.appendName("query")
    json.append(mark.map { String(path[path.index(after: $0)...]) })
    json.appendName("order")
    json.append(feed.order.rawValue)
    json.appendName("items")
    json.append(timeline.proofs.reduce(0) { $0 + $1.count })
    json.appendName("runs")
    json.append(timeline.runs.count)
    json.appendName("gaps")
    json.append(max(0, timeline.runs.count - 1))
    json.appendName("checkedAt")
    json.append(timeline.lookedAt.map(RFC3339.text))
    json.appendName("readAt")
    json.append(feed.readAt.milliseconds > 0 ? RFC3339.text(feed.readAt) : nil)
    json.appendName("bytes")
    json.append(bytes)
    json.append(raw: "}")
  }
}

extension JSONWriter {
  /// Appends how a source stands.
  fileprivate mutating func append(_ status: ReaderStatus, of source: SourceBinding) {
    append(raw: "{\"kind\":")
    append(source.kind.rawValue)
    appendName("budget")
    append(status.budget)
    appendName("flights")
    appendList(status.underway) { json, call in
      json.append(raw: "{\"feed\":")
      json.append("\(source.name)/\(call.path)")
      json.appendName("purpose")
      json.append("\(call.purpose)")
      json.append(call.window)
      json.appendName("sentAt")
      json.append(call.sentAt)
      json.append(raw: "}")
    }
    appendName("feeds")
    append(status.feeds)
    appendName("gaps")
    append(status.gaps)
    appendName("policy")
    append(source.reader.policy)
    appendName("failure")
    if let (failure, endedAt) = source.calls.lastFailure {
      append(raw: "{\"outcome\":")
      append(failure.word)
      appendName("at")
      append(endedAt)
      append(raw: "}}")
    } else {
      append(raw: "null}")
    }
  }

  /// Appends a call that ended.
  fileprivate mutating func append(_ numbered: UpstreamCalls.Numbered, of source: SourceBinding) {
    let call = numbered.call
    append(raw: "{\"number\":")
    append(numbered.number)
    appendName("feed")
    append("\(source.name)/\(call.path)")
    appendName("purpose")
    append("\(call.purpose)")
    append(call.window)
    appendName("sentAt")
    append(call.sentAt)
    appendName("milliseconds")
    append(max(0, (call.receivedAt - call.sentAt).inMilliseconds))
    appendName("outcome")
    append(call.failure?.word ?? "ok")
    appendName("elements")
    append(call.count)
    appendName("remaining")
    append(call.budget.remaining)
    append(raw: "}")
  }

  /// Appends the page asked for and its size, null for a single item.
  private mutating func append(_ window: Window?) {
    appendName("page")
    append(window?.page)
    appendName("perPage")
    append(window?.perPage)
  }
}
