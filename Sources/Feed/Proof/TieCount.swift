/// Counts the elements of one key, as of one second, that are too many for a window, over several
/// answers.
///
/// Twenty thousand articles can carry the same second, and no window shows them whole. So the
/// answers are laid beside each other by rank, in the frame of the first: by their common edge, by
/// elements seen in both in the same unbroken order (proof by sight), or because the upstream's
/// total stood still. When as many different elements were seen as there are ranks between the last
/// newer and the first older one, none is missing, whatever the order inside the second. Where some
/// of them cannot be used, and so cannot be distinguished, every rank must have been seen, and
/// every answer must have shown ``anchorCount`` of the others' elements at the same ranks.
///
/// A total can stand still while the list moves, one element gone here and another come there. So
/// what was counted by it is confirmed: once more every element must be seen, and both ends.
package struct TieCount: Hashable, Sendable {
  /// The most bytes of elements that are held; above it the count fails.
  package static let bytesMax = 64 << 20
  /// How many answers more than twice the windows that the second fills it asks for where each is
  /// in another order; then it fails. To see all of n elements by chance, a hundred at a time,
  /// takes about n/100 · ln n answers: 20 for 200, 75 for 1,000.
  package static let answersMin = 48
  /// How many passes from edge to edge it makes before it fails.
  package static let passesMax = 32
  /// Elements two answers must share in the same order to be laid beside each other by sight.
  package static let anchorCount = 3

  /// How many ranks further up than needed a window begins at most, for what is deleted above it.
  package static let slackMax = 32

  /// The key that they share.
  package var key: Int64
  /// Its elements seen so far, by identity.
  package var members: [Identity: PageItem] = [:]
  /// The first answer it rests on.
  package var provenAt: Timestamp
  /// The frame's rank of its first element, once a newer one or the top was seen above it.
  package var start: Int?
  /// The frame's rank below its last element, once an older one or the end was seen.
  package var end: Int?
  /// The highest rank seen in this pass.
  package var reached: Int
  /// Passes begun; one more for each answer that could not be laid beside the others.
  package var passes = 1
  /// The first rank below the second, as the last answer counted; nil until its end was seen.
  package private(set) var rankBelow: Int?
  /// Where the first older element's own second begins, or ``Cut/bottom`` at the feed's end.
  package private(set) var lower: Cut?
  /// The size of the largest window it was counted by.
  private var perPageMax: Int
  private var total: Int?
  private var ranks: [Identity: Int] = [:]
  private var bytes = 0
  /// Answers so far, also those that were forgotten.
  private var answers = 0
  /// Whether answers have ever shown the second's elements in different orders.
  private var wasReordered = false
  /// What was seen at each rank of the frame; nil for an element that cannot be used.
  private var places: [Int: Identity?] = [:]
  /// Whether answers may show the second's elements in different orders.
  private var isReordered = false
  private var shift = 0
  /// Whether an answer was laid beside the others only because the total stood still.
  private var restsOnTotal = false
  private var confirmation: Confirmation?

  /// What has to be seen again.
  private struct Confirmation: Hashable {
    var unseen: Set<Identity>
    var isStartSeen = false
    var isEndSeen = false

    var isDone: Bool { unseen.isEmpty && isStartSeen && isEndSeen }
  }

  /// Begins with an answer that shows where the second starts; nil when it does not.
  package init?(key: Int64, evidence: Evidence, total: Int?) {
    let shown = Shown(key: key, evidence: evidence)
    guard let start = shown.start else { return nil }
    self.key = key
    self.start = start
    self.total = total
    perPageMax = evidence.window.perPage
    provenAt = evidence.sentAt
    reached = start
    add(shown, shift: 0)
  }

  /// Whether every element of the second has been seen.
  package var isComplete: Bool {
    isCounted && (!restsOnTotal || confirmation?.isDone == true)
  }

  private var isCounted: Bool {
    guard let start, let end, start <= end else { return false }
    if members.count == end - start { return true }
    return !isReordered && hasUnusable
      && (start..<end).allSatisfy { places.keys.contains($0) }
  }

  /// Whether an element that cannot be used was met in the second.
  var hasUnusable: Bool { places.values.contains(nil) }

  /// Whether it has more elements than its answers have ranks between its ends, as where these are
  /// of two lists and the ranks of one are wrong: no further answer completes it.
  var isContradicted: Bool {
    guard let start, let end else { return false }
    return members.count > max(0, end - start)
  }

  /// Whether it will not be completed.
  package var isHopeless: Bool {
    if bytes > TieCount.bytesMax || passes > TieCount.passesMax { return true }
    let windows = 1 + (max(reached, end ?? 0) - (start ?? 0)) / perPageMax
    return wasReordered && answers > 2 * windows + TieCount.answersMin && !isComplete
  }

  /// The rank the next window begins at or before, and the one it must reach beyond. The slack is
  /// how many ranks further up it begins for what may have been deleted above.
  package func need(slackMax: Int = TieCount.slackMax) -> (rank: Int, beyond: Int) {
    let isAtStart = reached == start
    let slack = isAtStart ? WindowChoice.slack(afterMisses: passes - 1) : 8 * passes
    let rank =
      reached - shift - TieCount.anchorCount + 1 - min(slack, isAtStart ? 2 * slackMax : slackMax)
    return (max(0, rank), reached - shift)
  }

  /// Adds a further answer. One that cannot be laid beside the others sends the next pass back
  /// to the start.
  package mutating func add(_ evidence: Evidence, total: Int?) {
    answers += 1
    perPageMax = max(perPageMax, evidence.window.perPage)
    let shown = Shown(key: key, evidence: evidence)
    guard !shown.elements.isEmpty, let shift = shift(of: shown, total: total) else {
      beginPass()
      return
    }
    // What was seen before the list moved may be gone, and would stand for one never seen.
    let isMoved = total == nil || total != self.total || shift != self.shift
    if isMoved, shown.start != nil || confirmation != nil { forget(at: evidence.sentAt) }
    confirm(shown, shift: shift, at: evidence.sentAt)
    self.total = total
    add(shown, shift: shift)
    if isCounted, restsOnTotal, confirmation == nil {
      confirmation = Confirmation(unseen: Set(members.keys))
      beginPass()
    } else if shown.end != nil, !isComplete {
      beginPass()
    }
  }

  /// Notes what an answer shows again of what was counted; starts over where it shows otherwise.
  private mutating func confirm(_ shown: Shown, shift: Int, at sentAt: Timestamp) {
    guard confirmation != nil else { return }
    let ids = shown.elements.map(\.item.id)
    guard shown.end.map({ $0 + shift == end }) ?? true,
      ids.allSatisfy({ members.keys.contains($0) })
    else { return forget(at: sentAt) }
    confirmation?.unseen.subtract(ids)
    if shown.start != nil { confirmation?.isStartSeen = true }
    if shown.end != nil { confirmation?.isEndSeen = true }
  }

  private mutating func forget(at sentAt: Timestamp) {
    members = [:]
    bytes = 0
    ranks = [:]
    places = [:]
    isReordered = false
    restsOnTotal = false
    confirmation = nil
    end = nil
    provenAt = sentAt
  }

  private mutating func beginPass() {
    passes += 1
    reached = start ?? reached
  }

  private mutating func add(_ shown: Shown, shift: Int) {
    self.shift = shift
    let agreeing = shown.elements.count { places[$0.rank + shift] == $0.item.id }
    if !places.isEmpty, agreeing < TieCount.anchorCount { isReordered = true }
    wasReordered = wasReordered || isReordered
    for element in shown.elements {
      bytes -= members[element.item.id]?.bytes.count ?? 0
      bytes += element.item.bytes.count
      members[element.item.id] = element.item
      ranks[element.item.id] = element.rank + shift
      reached = max(reached, element.rank + shift)
      note(element.item.id, at: element.rank + shift)
    }
    for rank in shown.unusableRanks { note(nil, at: rank + shift) }
    if let edge = shown.end {
      end = edge + shift
      rankBelow = edge
      lower = shown.lower
    }
  }

  private mutating func note(_ id: Identity?, at place: Int) {
    if let before = places[place], before != id { isReordered = true }
    places[place] = .some(id)
  }

  /// What is added to an answer's ranks to lay it into the frame; nil when that is not known.
  private mutating func shift(of shown: Shown, total: Int?) -> Int? {
    if let start, let edge = shown.start { return start - edge }
    let common = shown.elements.prefix { ranks[$0.item.id] != nil }
    let shifts = Set(
      common.compactMap { element in ranks[element.item.id].map { $0 - element.rank } })
    // Where the order changes, a few may stand in the same one by chance.
    if !wasReordered, shifts.count == 1, common.count >= TieCount.anchorCount {
      return shifts.first
    }
    guard total != nil, total == self.total else { return nil }
    restsOnTotal = true
    return shift
  }

  /// What one answer shows of the second.
  private struct Shown {
    var elements: [Evidence.Placed]
    /// Ranks between them of elements that cannot be used.
    var unusableRanks: [Int]
    var start: Int?
    var end: Int?
    var lower: Cut?

    init(key: Int64, evidence: Evidence) {
      let inOrder = evidence.inOrder
      elements = inOrder.filter { $0.position.order == key }
      let ranks = (elements.first?.rank ?? 0)..<((elements.last?.rank ?? -1) + 1)
      unusableRanks = evidence.unusableRanks.filter(ranks.contains)
      let hasNewer = inOrder.contains { $0.position.order > key }
      // What is asked for by its key begins with all of that.
      let isWhole = evidence.isTop || hasNewer || evidence.window.keyMax != nil
      start = isWhole ? elements.first?.rank : nil
      let older = inOrder.first { $0.position.order < key }
      end = older?.rank ?? (evidence.isEnd ? (elements.last?.rank).map { $0 + 1 } : nil)
      lower = older.map { .above(key: $0.position.order) } ?? .bottom
    }
  }
}
