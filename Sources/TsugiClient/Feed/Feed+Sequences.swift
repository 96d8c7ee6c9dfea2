extension Feed {
  /// The slices from the top to the end.
  public var slices: Slices { Slices(feed: self, place: nil) }

  /// The slices after a cursor, to the end.
  public func slices(after cursor: FeedCursor?) -> Slices {
    Slices(feed: self, place: cursor.map(FeedPosition.cursor))
  }

  /// The slices after a place, to the end: `slices(after: .element(id: lastID))` goes on where an
  /// app stopped.
  public func slices(after place: FeedPosition) -> Slices {
    Slices(feed: self, place: place)
  }

  /// The items from the top to the end, each once.
  public var items: Items { Items(slices: slices) }

  /// The items after a cursor, to the end.
  public func items(after cursor: FeedCursor?) -> Items {
    Items(slices: slices(after: cursor))
  }

  /// The items after a place, to the end.
  public func items(after place: FeedPosition) -> Items {
    Items(slices: slices(after: place))
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
    let place: FeedPosition?

    /// An iterator at the beginning.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(feed: feed, place: place)
    }

    /// Asks for one slice after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate let feed: Feed<Item>
      fileprivate var place: FeedPosition?
      private var isOver = false

      fileprivate init(feed: Feed<Item>, place: FeedPosition?) {
        self.feed = feed
        self.place = place
      }

      /// The next slice; nil after the last.
      ///
      /// - Throws: `TsugiError`, `CancellationError`; then it is over.
      public mutating func next() async throws -> FeedSlice<Item>? {
        guard !isOver else { return nil }
        isOver = true
        let slice = try await nextSlice()
        if slice.hasMore {
          guard let end = slice.endCursor.map(FeedPosition.cursor), end != place else {
            throw TsugiError.standstill
          }
          place = end
          isOver = false
        }
        return slice
      }

      private func nextSlice() async throws -> FeedSlice<Item> {
        var failures = 0
        while true {
          do {
            return try await feed.slice(
              SliceRequest(start: place.map(SliceRequest.Start.after)))
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
