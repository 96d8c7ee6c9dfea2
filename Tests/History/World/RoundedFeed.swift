package import Feed

/// A feed that moves in rounds, known whole beforehand: what it holds in a round follows from the
/// round's number alone, so that processes that know nothing of each other see one upstream.
///
/// Each round three elements come at the top and about one goes. Every fifth shares its second with
/// the one before.
package struct RoundedFeed: PageFetcher {
  /// How many elements the first round has.
  package static let countAtFirst = 400
  /// How long a round is.
  package static let roundSeconds: Int64 = 1_000_000
  private static let begin: Int64 = 1_600_000_000
  private static let bytes = 2_000

  /// The round that it is in.
  package let round: Int
  private let time: VirtualTime

  /// The feed as it is in a round, answering at once.
  package init(round: Int, time: VirtualTime) {
    self.round = round
    self.time = time
  }

  /// When a round begins.
  package static func begin(of round: Int) -> Timestamp {
    Timestamp(seconds: begin + Int64(round) * roundSeconds)
  }

  /// The round in which an instant lies.
  package static func round(of instant: Timestamp) -> Int {
    Int((instant.seconds - begin) / roundSeconds)
  }

  /// The rounds in which an element is there.
  package static func presence(of number: Int) -> Range<Int> {
    let born = number < countAtFirst ? 0 : (number - countAtFirst) / 3 + 1
    // Two thirds stay for good; the others go one by one.
    let mixed = (number &* 7919) % 997
    return born..<(mixed < 333 ? born + 1 + mixed : Int.max)
  }

  /// The identity of an element, and back.
  package static func identity(of number: Int) -> Identity {
    let digits = String(number)
    return Identity("n" + String(repeating: "0", count: 6 - digits.utf8.count) + digits)
  }

  /// The number of an element; nil where it is none of these.
  package static func number(of id: some StringProtocol) -> Int? {
    id.first == "n" ? Int(id.dropFirst()) : nil
  }

  private static func second(of number: Int) -> Int64 {
    guard number >= countAtFirst else {
      return begin - 100_000 + Int64(number - number % 5 / 4) * 7
    }
    // Long enough ago when the round begins.
    return begin(of: (number - countAtFirst) / 3 + 1).seconds - 600
      + Int64((number - countAtFirst) % 3 * 20)
  }

  /// The elements of this round, top first.
  package var numbers: [Int] {
    let last = RoundedFeed.countAtFirst + 3 * round
    return (0..<last).filter { RoundedFeed.presence(of: $0).contains(round) }.sorted { a, b in
      let (x, y) = (RoundedFeed.second(of: a), RoundedFeed.second(of: b))
      return x != y ? x > y : a > b
    }
  }

  package func page(_ window: Window, of feed: FeedID) async -> Fetched<Page> {
    let all = numbers
    let shown = all.dropFirst(window.firstRank).prefix(window.perPage)
    let items = shown.enumerated().map { index, number in
      Page.Slot(index: index, item: item(number, isDated: feed.pattern.order == .value))
    }
    let page = Page(
      items: items, count: items.count, hasNext: all.count > window.endRank, total: all.count)
    return answer(.success(page))
  }

  package func item(_ name: ItemName) async -> Fetched<PageItem> {
    let number = RoundedFeed.number(of: name.id.text).flatMap { numbers.contains($0) ? $0 : nil }
    return answer(number.map { .success(item($0, isDated: true)) } ?? .failure(.notFound))
  }

  private func item(_ number: Int, isDated: Bool) -> PageItem {
    let second = RoundedFeed.second(of: number)
    return PageItem(
      id: RoundedFeed.identity(of: number), key: isDated ? second : nil,
      updatedAt: isDated ? second : nil,
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: RoundedFeed.bytes))
  }

  private func answer<Value: Sendable>(
    _ result: Result<Value, FetchError>
  ) -> Fetched<Value> {
    Fetched(
      sentAt: time.now, receivedAt: time.now, date: time.now.seconds, budget: nil, result: result)
  }
}
