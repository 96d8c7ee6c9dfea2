import Feed

/// One request to a merged feed: decides what is read of which part, and asked, until there is a
/// slice. It does neither itself; ``MergedSource`` does, on the loop or with the upstreams.
struct MergeReading {
  /// What has to be done next.
  enum Need {
    /// Read these of what is stored, and hand the results to ``take(_:of:)``.
    case read([PartRead])
    /// Ask these parts at the same time, and hand the results over.
    case ask([PartRead])
    /// Answer with this.
    case serve(Slice)
    /// Nothing can be shown.
    case fail(ReadError)
  }

  /// A request to one part.
  struct PartRead {
    var part: Int
    var request: SliceRequest
    var purpose: Purpose

    enum Purpose: Hashable {
      /// What is known of it beside the cut.
      case piece
      /// Where an item stands that is met further down in another part, or that names a bound.
      case place(Identity, Bound?)
      /// To bring what is lacking.
      case ask
      /// The age of just what is shown, where more was read.
      case statement
    }
    enum Bound { case start, end }
  }

  let parts: MergedParts
  let request: SliceRequest
  let now: Timestamp
  var question: Question
  /// Of which source versions the slice is, taken before anything was read.
  let version: UInt64
  /// How many items of each part are read.
  private var limits: [Int]
  /// Stretches that are passed over, by part.
  private(set) var holes: [Int: CutRange] = [:]
  /// What parts said of the stretch above their hole: that nothing stands in it.
  private(set) var silences: [Int: Slice] = [:]
  var unread: [Int]
  var unresolved: [PartRead] = []
  /// Where bounds are that items name, as far as they were found.
  var resolved: [PartRead.Bound: Cut] = [:]
  /// Why a bound could not be found.
  var failure: ReadError?
  /// Items whose other places have been looked up.
  var looked: [ItemKey: Position] = [:]
  private var refreshes: Bool
  /// What each part said last.
  var slices: [Int: Slice] = [:]
  /// Parts that were asked since they were read.
  private var asked: Set<Int> = []
  /// Parts that failed to bring what they were asked for.
  private(set) var failed: Set<Int> = []
  private(set) var calls = 0
  private var rounds = 0

  /// How often a request asks its parts at most: each brings at least one answer.
  static let roundsMax = 64
  /// The most items that are read of one part for a slice.
  static let itemsMax = 10_000
  /// When a part may be asked again that brought nothing.
  private static let retryDuration = Duration.milliseconds(250)

  /// The reading of a request at an instant; `version` is the parts' before.
  init(
    _ request: SliceRequest, of parts: MergedParts, version: UInt64, at now: Timestamp
  ) throws(ReadError) {
    (self.parts, self.request, self.version, self.now) = (parts, request, version, now)
    refreshes = request.refreshes
    let states = parts.parts.enumerated().map { index, part in
      PartState(
        name: part.name, isOptional: part.isOptional, lag: part.lag,
        hasSiblings: !parts.siblings[index].isEmpty, realm: parts.realms[index])
    }
    question = Question(limit: request.limit, parts: states)
    question.mayAsk = request.wait > .zero && !request.asksNothing
    unread = Array(parts.parts.indices)
    let count = parts.parts.count
    // More than its share of one part is read only where that is used up.
    let share = count == 1 ? request.limit : min(request.limit, 2 * request.limit / count + 4)
    limits = parts.parts.map { _ in share }
    question.start = try cut(of: request.start, .start) ?? .top
    question.end = try cut(of: request.end, .end) ?? .bottom
  }

  var isUpwards: Bool { request.takesLast }

  // MARK: What is needed

  /// The next thing to do.
  mutating func next() -> Need {
    while true {
      if let failure { return .fail(failure) }
      if !unresolved.isEmpty { return .read(unresolved) }
      leaveOutUnordered()
      if !unread.isEmpty { return .read(unread.map { read($0) }) }
      guard question.start > question.end else { return .serve(slice(nothing)) }
      if refreshes, question.mayAsk {
        return .ask(parts.parts.indices.map { ask(PartAsk(part: $0, range: whole)) })
      }
      switch isUpwards ? mergeUp(question) : mergeDown(question) {
      case .read(let more):
        for part in more { limits[part] = min(limits[part] * 2, MergeReading.itemsMax) }
        unread = more
      case .ask(let asks): return .ask(asks.map { ask($0) })
      case .fail(let error, let part): return .fail(.part(parts.parts[part].name, error))
      case .serve(let outcome):
        let lookups = lookups(for: outcome)
        if !lookups.isEmpty { return .read(lookups) }
        let statements = statements(for: outcome)
        return statements.isEmpty ? .serve(slice(outcome)) : .read(statements)
      }
    }
  }

  /// Parts whose answers were found in another order have no place for what they hold.
  private mutating func leaveOutUnordered() {
    for part in unread where !parts.parts[part].isServed {
      let retryAt = now + .seconds(parts.parts[part].source.policy.freshSeconds)
      question.parts[part].block = .unordered(retryAt: retryAt)
      question.parts[part].piece = unknown
      unread.removeAll { $0 == part }
    }
  }

  /// A piece of nothing.
  private var unknown: Piece {
    let cut = isUpwards ? question.end : question.start
    let range = CutRange(upper: cut, lower: cut)
    return Piece(range: range, items: [], freshness: Freshness(worstOf: [], at: now))
  }

  /// No upstream is asked any more.
  mutating func endAsking() {
    question.mayAsk = false
    refreshes = false
  }

  /// Everything is read again: what was read has been released meanwhile.
  mutating func restart() {
    unread = Array(parts.parts.indices)
    for index in question.parts.indices { question.parts[index].piece = nil }
    (slices, looked, question.excluded) = ([:], [:], [])
  }

  var whole: CutRange { CutRange(upper: question.start, lower: question.end) }

  /// What is known of a part beside the cut that is read from.
  private func read(_ part: Int) -> PartRead {
    var request = partRequest(of: part, whole, limit: limits[part])
    request.asksNothing = true
    return PartRead(part: part, request: request, purpose: .piece)
  }

  private func ask(_ ask: PartAsk) -> PartRead {
    let asked = min(question.limit / parts.parts.count + 1, question.limit)
    var request = partRequest(of: ask.part, ask.range, limit: asked)
    request.refreshes = ask.looks || refreshes
    return PartRead(part: ask.part, request: request, purpose: .ask)
  }

  /// A request for a stretch of one part, with what the walk remembers of it.
  func partRequest(of part: Int, _ range: CutRange, limit: Int) -> SliceRequest {
    let scale = parts.scales[part]
    var request = SliceRequest(feed: parts.parts[part].feed, limit: limit, wait: request.wait)
    let hole = range.upper == question.start && !isUpwards ? holes[part] : nil
    let (upper, lower) = (hole?.lower ?? range.upper, range.lower)
    if upper != .top {
      let cut = scale.partCut(upper)
      request.start = trail(of: part).map { .walked(cut, $0) } ?? .cut(cut)
    }
    if lower != .bottom { request.end = .cut(scale.partCut(lower)) }
    request.takesLast = isUpwards
    if isUpwards, request.end == nil { request.end = .cut(.bottom) }
    return request
  }

  // MARK: What was read

  /// Takes what a part said.
  mutating func take(_ result: Result<Slice, ReadError>, of read: PartRead) {
    switch read.purpose {
    case .place(let id, let bound): resolve(id, bound, of: read.part, by: result)
    case .statement: slices[read.part] = try? result.get()
    case .piece: takePiece(result, of: read)
    case .ask: takeAnswer(result, of: read.part)
    }
  }

  private mutating func takePiece(_ result: Result<Slice, ReadError>, of read: PartRead) {
    let part = read.part
    unread.removeAll { $0 == part }
    var piece: Piece
    switch result {
    case .success(let slice):
      piece = Piece(
        slice, of: parts.scales[part], limit: read.request.limit, upwards: isUpwards,
        within: whole)
      slices[part] = slice
    case .failure(let error):
      question.parts[part].block = question.parts[part].block ?? .failed(error)
      piece = unknown
    }
    piece.hole = holes[part]
    if piece.hole == nil, !isUpwards, piece.items.isEmpty, !piece.isFull, let lower = piece.next,
      piece.isSunk || isPassed(part), !question.asksAgain(piece, of: part)
    {
      holes[part] = CutRange(upper: piece.range.lower, lower: lower)
      if piece.range.upper > piece.range.lower { silences[part] = slices[part] }
      unread.append(part)
    }
    let before = question.parts[part].piece
    // What brings nothing is not asked for again.
    if asked.remove(part) != nil, question.parts[part].block == nil, let before,
      before.range == piece.range, before.end == piece.end, before.freshness == piece.freshness,
      holes[part] == before.hole
    {
      question.parts[part].block = .failed(
        .unavailable(retryAt: now + MergeReading.retryDuration))
    }
    question.parts[part].piece = piece
  }

  private mutating func takeAnswer(_ result: Result<Slice, ReadError>, of part: Int) {
    if !unread.contains(part) { unread.append(part) }
    question.parts[part].isAsked = true
    if !refreshes { asked.insert(part) }
    switch result {
    case .success(let slice):
      calls += slice.calls
      // It says so where it was asked in vain: what is stored does not.
      if slice.freshness.state != .fresh { failed.insert(part) }
      if !slice.hasMore, slice.endReason == .upstreamLimit, slice.covers == nil, !isUpwards {
        question.parts[part].block = .wall
      }
    case .failure(let error):
      failed.insert(part)
      question.parts[part].block = .failed(error)
    }
  }

  /// All that was asked for together has been answered.
  mutating func endRound() {
    refreshes = false
    rounds += 1
    if rounds >= MergeReading.roundsMax { question.mayAsk = false }
  }
}
