extension Feed {
  /// The slices from the top to the end.
  public var slices: Slices { slices(after: nil) }

  /// The slices after a cursor, to the end.
  public func slices(after cursor: FeedCursor?) -> Slices {
    Slices(feed: self, cursor: cursor)
  }

  /// The items from the top to the end, each once.
  public var items: Items { items(after: nil) }

  /// The items after a cursor, to the end.
  public func items(after cursor: FeedCursor?) -> Items {
    Items(slices: slices(after: cursor))
  }

  /// A feed's slices, one request each, made when the next is asked for.
  ///
  /// It ends where a slice has no more, and only there: not at a short slice, nor at an empty one.
  /// A request that fails but may do better is made again, as the client's ``Backoff`` says. To go
  /// on after an error, take the `endCursor` of the last slice.
  public struct Slices: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = FeedSlice<Item>
    /// `TsugiError`, or `CancellationError`.
    public typealias Failure = any Error

    let feed: Feed<Item>
    let cursor: FeedCursor?

    /// An iterator at the beginning.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(feed: feed, cursor: cursor)
    }

    /// Asks for one slice after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let feed: Feed<Item>
      fileprivate var cursor: FeedCursor?
      private var isOver = false

      fileprivate init(feed: Feed<Item>, cursor: FeedCursor?) {
        self.feed = feed
        self.cursor = cursor
      }

      /// The next slice; nil after the last.
      ///
      /// - Throws: `TsugiError`, `CancellationError`; then it is over.
      public mutating func next() async throws -> FeedSlice<Item>? {
        guard !isOver else { return nil }
        isOver = true
        let slice = try await nextSlice()
        if slice.hasMore {
          guard let end = slice.endCursor, end != cursor else { throw TsugiError.standstill }
          cursor = end
          isOver = false
        }
        return slice
      }

      private func nextSlice() async throws -> FeedSlice<Item> {
        var failures = 0
        while true {
          do {
            return try await feed.slice(after: cursor)
          } catch let error as TsugiError {
            failures += 1
            guard failures <= feed.client.backoff.retriesMax else { throw error }
            try await feed.client.pause(afterFailures: failures, error)
          }
        }
      }
    }
  }

  /// A feed's items, a slice at a time.
  public struct Items: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = Item
    /// `TsugiError`, or `CancellationError`.
    public typealias Failure = any Error

    let slices: Slices

    /// An iterator at the beginning.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(slices: slices.makeAsyncIterator())
    }

    /// Gives one item after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var slices: Slices.AsyncIterator
      private var items: [Item] = []
      private var index = 0

      fileprivate init(slices: Slices.AsyncIterator) {
        self.slices = slices
      }

      /// The next item; nil after the last.
      ///
      /// - Throws: `TsugiError`, `CancellationError`; then it is over.
      public mutating func next() async throws -> Item? {
        while index == items.count {
          // An item at hand is given in any case, so that none is lost; asking for more is not.
          try Task.checkCancellation()
          guard let slice = try await slices.next() else { return nil }
          (items, index) = (slice.items, 0)
        }
        defer { index += 1 }
        return items[index]
      }
    }
  }
}

extension TsugiError {
  /// The server says that there is more but not where.
  static let standstill = TsugiError.decoding(
    DecodingFailure(path: "endCursor", reason: "does not go on, though there is more"))
}
