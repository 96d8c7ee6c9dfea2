/// The attempts to prove what lies right below a cut, and how long it rests after vain ones.
package struct ExtensionAttempts: Hashable, Sendable {
  /// Answers in a row that may bring nothing before the place is left alone for a while.
  package static let idleMax = 8
  /// Times a window may step back to the same place before that, too, counts as nothing.
  package static let returnsMax = 4
  /// Answers in a row that may end above the cut before that, too, counts as nothing: a page that
  /// comes smaller than it was asked for ends there each time.
  package static let nearsMax = 8
  /// Answers with nothing on them, where the run's end was seen after one, before the place is left
  /// alone.
  static let nothingsMax = 3
  /// Rests in a row after such answers, or after ones that show the top instead, before they are
  /// taken for a wall: a quarter of an hour, for a copy that lags behind, or a cache, looks so for
  /// a while.
  package static let wallsMax = 6
  /// Times that one key begins to be counted before that is taken to lead nowhere.
  static let beginningsMax = 8
  /// The most answers that ended above the cut that are remembered.
  static let knownMax = 64
  /// Windows upwards that may miss the run before it is met from above instead.
  package static let missesAboveMax = 2

  /// The count of the second that is open below the run, where no window shows it whole.
  package var tieCount: TieCount?
  /// Windows in a row that began below the cut: the list has moved up.
  package var misses = 0
  /// Times that a window stepped back after misses, and brought no more than what was known: the
  /// list has moved, but less than a window of this size can tell.
  package var returns = 0
  /// Answers in a row that ended above the cut.
  package private(set) var nears = 0
  /// The highest rank at which a window began below the cut: the cut stands above it, whatever
  /// counting says.
  package private(set) var ceiling: Int?
  /// Windows upwards from the run whose upper bound this is that did not meet it.
  package var missesAbove = 0
  /// Answers in a row that brought nothing.
  package var idle = 0
  /// Times it failed.
  package var rests = 0
  /// Whether it failed because the open second there cannot be counted.
  package private(set) var isUncountable = false
  /// When it may be tried again after it failed.
  package var restsUntil: Timestamp?
  /// Whether it failed since answers for what lies below had nothing on them, though the run's end
  /// still stands and more is said to follow, or since they showed the top, so often in a row that
  /// it was no copy that lags.
  package var isWalled: Bool { walls >= ExtensionAttempts.wallsMax }
  /// Whether the last answer began with the feed's top, wherever it was to begin: the upstream does
  /// not hear how places are named.
  package var showsTop = false

  /// The most elements of an instant larger than a page that were remembered side by side.
  private var most = 0
  /// How often each answer came since the count saw more than ever, by the answer's hash.
  private var counted: [Int: Int] = [:]
  /// How often each answer came that ended above the cut, by the answer's hash.
  private var known: [Int: Int] = [:]
  /// The most elements that the count has seen.
  private var mostCounted = 0
  /// The key that began to be counted last, and how often.
  private var (counting, beginnings): (Int64?, Int) = (nil, 0)
  /// The last answer, where it was a page.
  private var last: Answer?
  /// Answers with nothing on them, and no total that says why.
  private(set) var nothings = 0
  /// The least number that a page of its window's size had which came so.
  private(set) var emptyPage: Int?
  /// Rests in a row that such answers led to.
  private var walls = 0
  /// Whether an answer after such showed the run's end again, since there was news.
  private var hasSeenEnd = false

  /// None so far.
  package init() {}

  /// Learns from an answer that brought the run to its bound, for the first time or once more.
  /// Where it shows all that any one window can show of the second open below, that begins to be
  /// counted; what was counted of it before stays. No window shows more than `perPageMax` elements.
  package mutating func meet(
    _ evidence: Evidence, total: Int?, paging: Paging, perPageMax: Int = .max
  ) {
    misses = 0
    returns = 0
    ceiling = nil
    let above = evidence.window.segment?.rank ?? 0
    let next = paging.window(
      from: evidence.rankBelow - 1 - above, beyond: evidence.window.endRank - 1 - above,
      perPageMax: perPageMax)
    guard next == nil else { return }
    let key = evidence.lower.keyBelow
    if tieCount?.key == key {
      tieCount?.add(evidence, total: total)
    } else {
      beginCount(of: key, evidence, total: total)
    }
  }

  /// Learns from an answer that did not prove what lies right below `cut`. `isCounted` where the
  /// feed is ordered by a key, and ranks are exact enough to count the elements of one.
  package mutating func learn(
    from evidence: Evidence, total: Int?, below cut: Cut, isCounted: Bool, at now: Timestamp
  ) {
    let reached = tieCount?.reached ?? 0
    if !isCounted {
      tieCount = nil
    } else if tieCount == nil {
      beginCount(of: cut.keyBelow, evidence, total: total)
    } else {
      tieCount?.add(evidence, total: total)
    }
    if !evidence.elements.isEmpty {
      emptyPage = nil
    } else if total == nil {
      noteNothing(in: evidence.window)
    }
    let answer = Answer(evidence)
    let isBrought = tieCount.map { isBroughtOn($0, from: reached, by: answer) } ?? false
    let isCounting = isBrought && beginnings <= ExtensionAttempts.beginningsMax
    // A window that ends above the cut brings the next one nearer, since the list has moved down.
    let isNearer = evidence.elements.last { !$0.isDisplaced }.map { cut.isBelow($0.position) }
    if misses > 0, evidence.upper >= cut { returns += 1 }
    nears = isNearer == true ? nears + 1 : 0
    let isNewlyNear =
      nears > 0 && nears <= ExtensionAttempts.nearsMax && returns <= ExtensionAttempts.returnsMax
      && !isKnown(answer)
    let isAgain = isAgain(answer)
    let isProgress = isCounting || isNewlyNear && !isAgain
    idle = isProgress ? 0 : isAgain ? ExtensionAttempts.idleMax : idle + 1
    misses = isCounting || evidence.upper >= cut ? 0 : misses + 1
    if misses > 0 {
      noteMiss(evidence.window)
    } else if let rank = evidence.elements.last(where: { !$0.isDisplaced })?.rank {
      // The list has moved down since.
      ceiling = ceiling.flatMap { $0 <= rank ? nil : $0 }
    }
    restIfIdle(at: now)
  }

  private mutating func beginCount(of key: Int64, _ evidence: Evidence, total: Int?) {
    beginnings = key == counting ? beginnings + 1 : 1
    counting = key
    tieCount = TieCount(key: key, evidence: evidence, total: total)
    (counted, mostCounted) = ([:], 0)
  }

  /// Whether an answer has brought a count on: it saw more than ever, or reached further down. The
  /// same answer reaches further once more in a later pass; a third time it is out of a cache, or
  /// of another list than the one before it.
  private mutating func isBroughtOn(
    _ count: TieCount, from reached: Int, by answer: Answer
  ) -> Bool {
    let isMore = count.members.count > mostCounted
    if isMore { (mostCounted, counted) = (count.members.count, [:]) }
    counted[answer.hashValue, default: 0] += 1
    guard !count.isContradicted else { return false }
    return isMore || count.reached > reached && counted[answer.hashValue, default: 0] <= 2
  }

  /// Learns from an answer on the way to the cut: the same one to the same request is in vain, and
  /// so is one that came again and again, whatever came between.
  package mutating func pass(_ evidence: Evidence, at now: Timestamp) {
    let answer = Answer(evidence)
    let isKnown = isKnown(answer)
    idle = isKnown || isAgain(answer) ? ExtensionAttempts.idleMax : 0
    restIfIdle(at: now)
  }

  /// Notes an answer that showed nothing known; `ids` are those of its elements, where it had a
  /// page, and `total` is what that counts.
  package mutating func miss(
    _ window: Window, showing ids: [Identity]?, total: Int?, at now: Timestamp
  ) {
    let isInVain = ids.map { isAgain(Answer(window: window, ids: $0)) } ?? false
    idle = isInVain ? ExtensionAttempts.idleMax : idle + 1
    misses += 1
    if ids?.isEmpty == true, total == nil { noteNothing(in: window) }
    noteMiss(window)
    restIfIdle(at: now)
  }

  /// Notes how many elements of an instant that is larger than a page are known side by side.
  /// Returns whether that is more than ever since the place rested last.
  package mutating func notesMore(_ count: Int) -> Bool {
    guard count > most else { return false }
    (most, idle) = (count, 0)
    return true
  }

  /// Notes an answer that only said that the place it was asked for does not exist.
  package mutating func noteRefusal(at now: Timestamp) {
    idle += 1
    restIfIdle(at: now)
  }

  /// Leaves the place alone for a while, as after the first vain attempts.
  package mutating func pause(at now: Timestamp) { restsUntil = now + Rest.place.duration(1) }

  /// What a request brought.
  private struct Answer: Hashable {
    let window: Window
    let ids: [Identity]

    init(window: Window, ids: [Identity]) { (self.window, self.ids) = (window, ids) }

    init(_ evidence: Evidence) {
      self.init(window: evidence.window, ids: evidence.elements.map(\.item.id))
    }
  }

  /// Takes in what a request brought. Returns whether the one before it was the same and brought
  /// the same: a third would be in vain.
  private mutating func isAgain(_ answer: Answer) -> Bool {
    defer { last = answer }
    return answer == last
  }

  /// Takes in an answer that ended above the cut. Returns whether it came so often before, whatever
  /// came between, that it leads nowhere.
  private mutating func isKnown(_ answer: Answer) -> Bool {
    if known.count >= ExtensionAttempts.knownMax { known = [:] }
    known[answer.hashValue, default: 0] += 1
    return known[answer.hashValue, default: 0] > ExtensionAttempts.nearsMax / 2
  }

  /// Notes an answer that showed the run's end, and says that more follows.
  package mutating func noteEnd() {
    if nothings > 0 { hasSeenEnd = true }
  }

  /// Notes an answer with elements that were not known: what had nothing on it before may have come
  /// from a copy that lags behind.
  package mutating func noteNews() {
    (nothings, hasSeenEnd, emptyPage, walls) = (0, false, nil, 0)
  }

  private mutating func noteNothing(in window: Window) {
    nothings += 1
    if !window.isMarked { emptyPage = min(emptyPage ?? .max, window.page) }
  }

  private mutating func noteMiss(_ window: Window) {
    ceiling = min(ceiling ?? .max, window.firstRank)
  }

  private mutating func restIfIdle(at now: Timestamp) {
    let isIdle = idle >= ExtensionAttempts.idleMax
    let meetsWall = hasSeenEnd && nothings >= (isIdle ? 1 : ExtensionAttempts.nothingsMax)
    guard isIdle || tieCount?.isHopeless == true || meetsWall else { return }
    walls = meetsWall || showsTop ? walls + 1 : nothings > 0 ? walls : 0
    rests += 1
    restsUntil = now + Rest.place.duration(rests)
    (nothings, emptyPage) = (0, nil)
    isUncountable = tieCount?.isHopeless == true
    (tieCount, counting, beginnings) = (nil, nil, 0)
    counted = [:]
    known = [:]
    mostCounted = 0
    most = 0
    ceiling = nil
    last = nil
    misses = 0
    returns = 0
    idle = 0
  }
}
