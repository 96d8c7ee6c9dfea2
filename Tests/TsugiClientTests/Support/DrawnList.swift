@testable import TsugiClient

/// A list whose loads are answered by hand, and drawn as text: `a b ~ c …` is two items, a gap, one
/// item, and more below; `… a` has let go what was above.
struct DrawnList {
  typealias State = PagedState<Post>

  var state: State
  /// The loads under way, in the order they began.
  private(set) var loads: [(number: Int, request: SliceRequest)] = []
  /// The loads of changes, the catchings up and the reads of a store asked for so far.
  private(set) var others: [State.Action] = []
  /// The rests under way.
  private(set) var rests: [(number: Int, duration: Duration)] = []

  init(
    options: PagedOptions = PagedOptions(prefetchDistance: 1), limit: Int = 3, window: Int = 8,
    at place: FeedPosition? = nil
  ) {
    state = State(options: options, limit: limit, window: window, begin: place)
  }

  /// A list that holds these items already.
  init(
    _ items: String, hasMore: Bool = true,
    options: PagedOptions = PagedOptions(prefetchDistance: 1),
    limit: Int = 3, window: Int = 8
  ) {
    self.init(options: options, limit: limit, window: window)
    send(.start)
    answer(.drawn(items, hasMore: hasMore))
  }

  /// The list as text.
  var drawing: String {
    let gaps = state.content.gaps.map { (PagedGap(id: $0.id, state: .idle), $0.index) }
    let rows = PagedRows(items: state.content.items, gaps: gaps).map { row in
      switch row {
      case .item(let item): item.title.map { "\(item.id)=\($0)" } ?? item.id
      case .gap: "~"
      }
    }
    return ((state.hasPrevious ? ["…"] : []) + rows + (state.hasMore ? ["…"] : []))
      .joined(separator: " ")
  }

  /// What is asked for now, each as text: `<c` before c, `>c` after c, `≤c` and `≥c` with it.
  var asked: [String] { loads.map { $0.request.drawing } }

  mutating func send(_ event: State.Event) {
    for action in state.handle(event) {
      switch action {
      case .load(let number, let request): loads.append((number, request))
      case .cancel(let number): loads.removeAll { $0.number == number }
      case .rest(let number, let duration): rests.append((number, duration))
      case .changes, .catchUp, .read: others.append(action)
      }
    }
  }

  /// Answers the oldest load, or the one at an index.
  mutating func answer(_ slice: FeedSlice<Post>, load index: Int = 0) {
    guard loads.indices.contains(index) else { return }
    send(.arrived(loads.remove(at: index).number, slice))
  }

  /// Has the oldest load fail, or be cancelled.
  mutating func fail(_ error: TsugiError?) {
    guard !loads.isEmpty else { return }
    send(.failed(loads.removeFirst().number, error, draw: 1))
  }

  /// Ends the oldest rest.
  mutating func wake() {
    guard !rests.isEmpty else { return }
    send(.woke(rests.removeFirst().number))
  }

  /// Rows come onto the screen.
  mutating func see(_ ids: String) {
    for id in ids.split(separator: " ") { send(.appeared(String(id))) }
  }
}

extension TsugiError {
  /// No answer came.
  static let offline = TsugiError.transport(TransportFailure(.offline, ""))

  /// An answer with a code.
  static func answered(_ code: ProblemCode, retryAfter seconds: Int? = nil) -> TsugiError {
    .status(
      StatusFailure(
        status: code.status, problem: ProblemDetails(code, detail: ""),
        retryAfter: seconds.map { .seconds($0) }))
  }
}

extension FeedSlice where Item == Post {
  /// A slice of items by their ids, which are their places too; `a=A` has a title.
  static func drawn(
    _ items: String, hasMore: Bool = false, hasPrevious: Bool = false,
    endReason: FeedEndReason = .range, skip: String? = nil, seq: String = "e.1",
    undecodable: Int = 0
  ) -> FeedSlice {
    let posts = items.split(separator: " ").map { word in
      let parts = word.split(separator: "=").map(String.init)
      return Post(id: parts[0], title: parts.count > 1 ? parts[1] : nil)
    }
    return FeedSlice(
      items: posts,
      undecodable: (0..<undecodable).map { UndecodableItem(index: $0, id: nil, reason: "bad") },
      limit: 3, hasMore: hasMore, hasPrevious: hasPrevious,
      startCursor: FeedCursor(rawValue: posts.first?.id ?? "bad\(undecodable)"),
      endCursor: FeedCursor(rawValue: posts.last?.id ?? "bad\(undecodable)"),
      endReason: hasMore ? nil : endReason,
      gap: skip.map {
        Gap(
          id: "g", skip: SliceRequest(start: .after(.cursor(FeedCursor(rawValue: $0)))))
      }, seq: SequenceNumber(rawValue: seq), total: nil,
      freshness: FeedFreshness(state: "fresh", checkedAt: nil, provenAt: nil))
  }
}

extension SliceRequest {
  /// The request as text.
  var drawing: String {
    var words: [String] = []
    switch start {
    case .after(let position): words.append(">\(position.text)")
    case .at(let position): words.append("≥\(position.text)")
    case nil: break
    }
    switch end {
    case .before(let position): words.append("<\(position.text)")
    case .at(let position): words.append("≤\(position.text)")
    case nil: break
    }
    if limitToLast { words.append("last") }
    if let limit { words.append("\(limit)") }
    if refresh { words.append("refresh") }
    return words.isEmpty ? "top" : words.joined(separator: " ")
  }
}
