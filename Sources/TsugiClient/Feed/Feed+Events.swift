import Foundation
import Wire

extension Feed where Item: Identifiable, Item.ID: Decodable & Sendable {
  /// What changes from now on, or after a number, live.
  ///
  /// Items come with a change only where the feed names `fields`; else only ids. The sequence
  /// connects again whenever the connection ends, after a pause that grows while no change comes
  /// and no connection outlasts the longest pause, and goes on after the change it saw last.
  ///
  /// It ends with its task (`CancellationError`), with a `TsugiError` that asking again will not
  /// mend, or where the server says that there is nothing to listen to.
  public func events(since seq: SequenceNumber? = nil) -> Events {
    Events(feed: self, since: seq)
  }

  /// A feed's changes as they happen.
  public struct Events: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = FeedChange<Item>
    /// `TsugiError`, or `CancellationError`.
    public typealias Failure = any Error

    let feed: Feed<Item>
    let since: SequenceNumber?

    /// An iterator that is not connected yet.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(feed: feed, since: since)
    }

    /// Listens, and connects where it must.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let feed: Feed<Item>
      private var since: SequenceNumber?
      private var parser = EventStreamParser()
      private var parts: AsyncThrowingStream<Data, any Error>.Iterator?
      private var pending: ArraySlice<FeedChange<Item>> = []
      private var failures = 0
      /// How long the connection has lasted.
      private var age: @Sendable () -> Duration = { .zero }
      private var isOver = false

      fileprivate init(feed: Feed<Item>, since: SequenceNumber?) {
        self.feed = feed
        self.since = since
      }

      /// The next change; nil where the server has none to tell, ever.
      ///
      /// - Throws: `TsugiError`, `CancellationError`; then it is over.
      public mutating func next() async throws -> FeedChange<Item>? {
        while !isOver {
          if let change = pending.popFirst() { return change }
          do {
            if parts == nil { try await connect() } else { try await read() }
          } catch {
            isOver = true
            throw error
          }
        }
        return nil
      }

      private mutating func connect() async throws {
        do {
          var target = try feed.itemsTarget(.events, limit: nil)
          if let since { target.add("since", since.rawValue) }
          let headers = parser.lastEventID.map { ["last-event-id": $0] } ?? [:]
          let stream = try await feed.client.stream(of: target, headers: headers)
          isOver = stream.status == 204
          if !isOver { logListening(true) }
          parts = stream.body.makeAsyncIterator()
          parser.reconnect()
          age = feed.client.clock.stopwatch()
        } catch let error as TsugiError {
          guard error.code == .sinceExpired, since != nil || parser.lastEventID != nil else {
            return try await pause(error)
          }
          // What happened meanwhile is sent no more; what happens from now on is.
          since = nil
          parser.forget()
          pending = [FeedChange(.reset)]
        }
      }

      private mutating func read() async throws {
        let part: Data?
        do {
          part = try await parts?.next()
        } catch {
          guard let error = TsugiError.translated(error) as? TsugiError else {
            throw CancellationError()
          }
          return try await disconnect(error)
        }
        guard let part else {
          return try await disconnect(.transport(TransportFailure(.interrupted, "it ended")))
        }
        guard let events = try? parser.take(part) else {
          return try await disconnect(.decoding(DecodingFailure(reason: "an event never ends")))
        }
        let decoder = feed.client.makeDecoder()
        pending = ArraySlice(
          events.compactMap { event in
            // What a later server sends in another form is for later clients.
            do {
              var change = try decoder.decode(FeedChange<Item>.self, from: Data(event.data.utf8))
              // An id alone may pass for an item whose other members are optional.
              if feed.fields.isEmpty { change.item = nil }
              return change
            } catch {
              feed.client.log?(
                .dropped(feed: feed.path.text, reason: DecodingFailure(error).description))
              return nil
            }
          })
        if !pending.isEmpty { failures = 0 }
        feed.logChanges(Array(pending))
      }

      private func logListening(_ isConnected: Bool) {
        feed.client.log?(.listening(feed: feed.path.text, isConnected: isConnected))
      }

      private mutating func disconnect(_ error: TsugiError) async throws {
        parts = nil
        logListening(false)
        // One that sends nothing, and not for long, is as good as none, comments or not.
        if age() >= feed.client.backoff.longest { failures = 0 }
        try await pause(error)
      }

      /// Waits before the next connection.
      ///
      /// - Throws: the error, where another connection would meet it again.
      private mutating func pause(_ error: TsugiError) async throws {
        try Task.checkCancellation()
        failures += 1
        try await feed.client.pause(
          afterFailures: failures, error, atLeast: parser.retry ?? .zero)
      }
    }
  }
}
