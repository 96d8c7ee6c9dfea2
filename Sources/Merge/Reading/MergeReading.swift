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
    /// Answer with ``slice(_:)`` of this.
    case serve(MergedOutcome)
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

  /// How far one part is read.
  struct Progress {
    /// How many items of it are read.
    var limit: Int
    /// Whether it is to be read.
    var isUnread = true
    /// What it said last.
    var said: Piece?
    /// A stretch that is passed over.
    var hole: CutRange?
    /// What it said of the stretch above its hole: that nothing stands in it.
    var silence: Piece?
    /// Whether it was asked since it was read.
    var isAwaited = false
    /// Whether it failed to bring what it was asked for.
    var hasFailed = false
  }

  let parts: MergedParts
  let request: SliceRequest
  let now: Timestamp
  var question: Question
  /// Of which source versions the slice is, taken before anything was read.
  let version: UInt64
  /// The last numbers of parts, by place, that the client's cursors carry: nothing older is an
  /// answer.
  private let lastNumbers: [UInt8: Int64]
  /// How far each part is read.
  var progress: [Progress]
  var unresolved: [PartRead] = []
  /// Where bounds are that items name, as far as they were found.
  var resolved: [PartRead.Bound: Cut] = [:]
  /// Why a bound could not be found.
  var failure: ReadError?
  /// Items whose other places have been looked up, with their places in their part.
  var looked: [ItemKey: Position] = [:]
  private var refreshes: Bool
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
    lastNumbers = [request.start, request.end].compactMap { parts.remembered(by: $0)?.numbers }
      .reduce([:]) { $0.merging($1, uniquingKeysWith: max) }
    let count = parts.roles.count
    // More than its share of one part is read only where that is used up.
    let share = count == 1 ? request.limit : min(request.limit, request.limit / count + 4)
    progress = Array(repeating: Progress(limit: share), count: count)
    let states = Array(repeating: PartState(), count: count)
    question = Question(limit: request.limit, roles: parts.roles, parts: states)
    question.mayAsk = request.wait > .zero && !request.asksNothing
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
      let unread = parts.roles.indices.filter { progress[$0].isUnread && !leavesOut($0) }
      if !unread.isEmpty { return .read(unread.map { read($0) }) }
      guard question.start > question.end else { return .serve(nothing) }
      if refreshes, question.mayAsk {
        return .ask(parts.parts.indices.map { ask(PartAsk(part: $0, range: whole)) })
      }
      switch isUpwards ? mergeUp(question) : mergeDown(question) {
      case .read(let more):
        for part in more {
          let limit = min(progress[part].limit * 2, MergeReading.itemsMax)
          (progress[part].isUnread, progress[part].limit) = (true, limit)
        }
      case .ask(let asks): return .ask(asks.map { ask($0) })
      case .fail(let error, let part): return .fail(.part(parts.parts[part].name, error))
      case .serve(let outcome):
        let lookups = lookups(for: outcome)
        if !lookups.isEmpty { return .read(lookups) }
        let statements = statements(for: outcome)
        return statements.isEmpty ? .serve(outcome) : .read(statements)
      }
    }
  }

  /// Leaves a part out whose answers were found in another order: what it holds has no place.
  private mutating func leavesOut(_ part: Int) -> Bool {
    guard !parts.parts[part].isServed else { return false }
    let retryAt = now + .seconds(parts.parts[part].source.policy.freshSeconds)
    question.parts[part].block = .unordered(retryAt: retryAt)
    question.parts[part].piece = unknown(below: nil)
    progress[part].isUnread = false
    return true
  }

  /// A piece of nothing.
  private func unknown(below hole: CutRange?) -> Piece {
    let cut = isUpwards ? question.end : question.start
    let nothing = Slice(
      of: [], covers: nil, hasMore: true, hasPrevious: false, endReason: nil,
      freshness: Freshness(worstOf: [], at: now))
    return Piece(nothing, range: CutRange(upper: cut, lower: cut), hole: hole)
  }

  /// No upstream is asked any more.
  mutating func endAsking() {
    question.mayAsk = false
    refreshes = false
  }

  /// Everything is read again: what was read has been released meanwhile.
  mutating func restart() {
    for part in parts.roles.indices {
      question.parts[part].piece = nil
      (progress[part].said, progress[part].isUnread) = (nil, true)
    }
    (looked, question.excluded) = ([:], [])
  }

  private var whole: CutRange { CutRange(upper: question.start, lower: question.end) }

  /// What is known of a part beside the cut that is read from.
  private func read(_ part: Int) -> PartRead {
    var request = partRequest(of: part, whole, limit: progress[part].limit)
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
    let scale = parts.roles[part].scale
    var request = SliceRequest(feed: parts.parts[part].feed, limit: limit, wait: request.wait)
    let hole = range.upper == question.start && !isUpwards ? progress[part].hole : nil
    let (upper, lower) = (hole?.lower ?? range.upper, range.lower)
    if upper != .top {
      let cut = scale.partCut(upper)
      request.start = trail(of: part).map { .walked(cut, $0) } ?? .cut(cut)
    }
    if isUpwards || lower != .bottom { request.end = .cut(scale.partCut(lower)) }
    request.takesLast = isUpwards
    request.told = lastNumbers[UInt8(parts.roles[part].place)]
    return request
  }

  // MARK: What was read

  /// Takes what a part said.
  mutating func take(_ result: consuming Result<Slice, ReadError>, of read: PartRead) {
    switch read.purpose {
    case .place(let id, let bound): resolve(id, bound, of: read.part, by: result)
    case .statement:
      let slice = try? result.get()
      progress[read.part].said = slice.map { Piece($0, range: whole) }
    case .piece: takePiece(result, of: read)
    case .ask: takeAnswer(result, of: read.part)
    }
  }

  private mutating func takePiece(
    _ result: consuming Result<Slice, ReadError>, of read: PartRead
  ) {
    let (part, hole) = (read.part, progress[read.part].hole)
    let piece: Piece
    switch consume result {
    case .success(let slice):
      piece = Piece(
        slice, of: parts.roles[part].scale, limit: read.request.limit, upwards: isUpwards,
        within: whole, below: hole)
      progress[part].said = piece
    case .failure(let error):
      question.parts[part].block = question.parts[part].block ?? .failed(error)
      piece = unknown(below: hole)
    }
    progress[part].isUnread = false
    if hole == nil, !isUpwards, piece.slice.items.isEmpty, !piece.isFull, let lower = piece.next,
      piece.isSunk || isPassed(part), !question.asksAgain(part, for: piece)
    {
      progress[part].hole = CutRange(upper: piece.range.lower, lower: lower)
      if piece.range.upper > piece.range.lower { progress[part].silence = progress[part].said }
      progress[part].isUnread = true
    }
    // What brings nothing is not asked for again.
    if progress[part].isAwaited, question.parts[part].block == nil,
      let before = question.parts[part].piece, before.range == piece.range,
      before.end == piece.end, before.slice.freshness == piece.slice.freshness,
      before.hole == progress[part].hole
    {
      let retryAt = now + MergeReading.retryDuration
      question.parts[part].block = .failed(.unavailable(retryAt: retryAt))
    }
    progress[part].isAwaited = false
    question.parts[part].piece = piece
  }

  private mutating func takeAnswer(_ result: Result<Slice, ReadError>, of part: Int) {
    progress[part].isUnread = true
    question.parts[part].isAsked = true
    if !refreshes { progress[part].isAwaited = true }
    switch result {
    case .success(let slice):
      calls += slice.calls
      // It says so where it was asked in vain: what is stored does not.
      if slice.freshness.state != .fresh { progress[part].hasFailed = true }
      let isWall = !slice.hasMore && slice.endReason == .upstreamLimit && slice.covers == nil
      if isWall, !isUpwards { question.parts[part].block = .wall }
    case .failure(let error):
      progress[part].hasFailed = true
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
