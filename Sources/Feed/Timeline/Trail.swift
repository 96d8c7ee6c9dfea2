import Bytes

/// An element of a feed that is further down than it stood before: its `created_at` has become
/// older, or it was taken for one that had moved up.
package struct Move: Hashable, Sendable {
  /// Counts moves of the feed; it distinguishes those of one file, and of any two the later is
  /// larger. Milliseconds since 1970 when the answer that showed it was sent, or a little later.
  package var number: Int64
  /// The element.
  package var id: Identity
  /// Where it stood; the place where it was found, if it had left before.
  package var from: Position
  /// Where it was found; ``Cut/bottom``'s position where it left, and may yet be found.
  package var to: Position

  /// The numbers there can be: what fits into eight bytes of a cursor.
  package static let numbers = 1...Int64(1) << 55
  /// The most moves remembered of a feed; the oldest are forgotten first.
  package static let countMax = 256

  /// A move from its parts.
  package init(number: Int64, id: Identity, from: Position, to: Position) {
    self.number = number
    self.id = id
    self.from = from
    self.to = to
  }
}

/// What a walk's cursor remembers of moves, so that no element is given twice: which moves were
/// known when it was made, and which of them took an element that the walk had been given to a
/// place that it has not read yet.
///
/// While a feed has no move, the cursors of walks from its top remember nothing.
package struct Trail: Hashable, Sendable {
  /// The number of the last move known; 0 where none was.
  package var known: Int64 = 0
  /// The ``Position/order`` below which the walk began; nil where that was the feed's top.
  package var begin: Int64?
  /// The numbers of moves whose elements the walk was given before, rising, none above `known`.
  package var given: [Int64] = []
  /// What it remembers of the parts of a merged feed; nil in any other.
  package var parts: PartTrails?

  /// A trail of which nothing is known.
  package init() {}

  /// A trail from its parts.
  package init(known: Int64 = 0, begin: Int64? = nil, given: [Int64] = []) {
    self.known = known
    self.begin = begin
    self.given = given
  }

  /// The trail of a walk that begins at a cut, now that these moves are known.
  package init(beginningAt start: Cut, _ moves: [Move]) {
    known = moves.last?.number ?? 0
    let place = start.position
    // Of a second that it may have begun inside of, all counts as read.
    if start != .top { begin = place.tie.isEmpty ? place.order : place.order &+ 1 }
  }

  /// What a walk remembers that begins where this one has come to.
  package var beginning: Trail {
    var trail = Trail(known: known)
    trail.parts = parts?.beginning
    return trail
  }

  /// Whether it remembers nothing.
  package var isEmpty: Bool { known == 0 && begin == nil && parts?.isEmpty ?? true }

  /// The trail of a walk that goes on below `start`, now that these moves are known.
  package func passing(_ start: Cut, _ moves: [Move]) -> Trail {
    var trail = Trail(known: moves.last?.number ?? 0, begin: begin)
    // Every slice is made with it: most cursors know all moves, and were given none that matters.
    guard !given.isEmpty || trail.known > known else { return trail }
    trail.given = moves.compactMap { move in
      let isGiven =
        given.contains(move.number)
        || move.number > known && start.isBelow(move.from) && !start.isBelow(move.to)
          && begin.map { move.from.order < $0 } ?? true
      return isGiven ? move.number : nil
    }
    return trail
  }

  /// The elements that the walk is not given again.
  package func leftOut(_ moves: [Move]) -> Set<Identity> {
    given.isEmpty ? [] : Set(moves.lazy.filter { given.contains($0.number) }.map(\.id))
  }

  /// The trail once the walk has read down to `end`: what stands above it needs no remembering.
  package func reaching(_ end: Cut, _ moves: [Move]) -> Trail {
    guard !given.isEmpty else { return self }
    var trail = self
    let places = Dictionary(moves.map { ($0.id, $0.to) }, uniquingKeysWith: { $1 })
    trail.given = moves.compactMap { move in
      guard given.contains(move.number), let place = places[move.id], !end.isBelow(place) else {
        return nil
      }
      return move.number
    }
    return trail
  }
}

/// A trail as a cursor carries it: the last move known; 0 for a walk from the top, else one more
/// than by how much it began above the cursor; then by how much each given move is before the one
/// after it. Each is a whole number of seven bits a byte, the lowest first (as in LEB128).
extension Trail {
  /// The trail of a cursor at `order`, in at most so many bytes; the oldest moves are left away
  /// where there are more.
  func bytes(at order: Int64, max: Int) -> [UInt8] {
    var bytes = Varint.bytes(of: UInt64(known))
    let (above, overflows) = (begin ?? order).subtractingReportingOverflow(order)
    let isTold = begin != nil && !overflows && above >= 0 && above < Move.numbers.upperBound
    bytes += Varint.bytes(of: isTold ? UInt64(above) + 1 : 0)
    var last = known
    for number in given.reversed() {
      let next = Varint.bytes(of: UInt64(last - number))
      guard bytes.count + next.count <= max else { break }
      bytes += next
      last = number
    }
    return bytes
  }

  /// The trail of these bytes of a cursor at `order`; nil where they are none, or one would be
  /// written otherwise.
  init?(bytes: ArraySlice<UInt8>, at order: Int64) {
    var numbers: [Int64] = []
    var rest = bytes
    while !rest.isEmpty {
      guard let number = Varint.take(from: &rest, bytesMax: 8) else { return nil }
      numbers.append(number)
    }
    guard numbers.count >= 2, numbers[0] + numbers[1] > 0 else { return nil }
    let known = numbers[0]
    let (begin, overflows) = order.addingReportingOverflow(numbers[1] - 1)
    guard numbers[1] == 0 || !overflows else { return nil }
    var given: [Int64] = []
    for (index, step) in numbers.dropFirst(2).enumerated() {
      let number = (given.last ?? known) - step
      guard number > 0, step > 0 || index == 0 else { return nil }
      given.append(number)
    }
    self.init(known: known, begin: numbers[1] == 0 ? nil : begin, given: given.reversed())
  }
}

extension Timeline {
  /// Notes that an element went from its place to one further down.
  mutating func noteMove(of id: Identity, from: Position, to: Position, at sentAt: Timestamp) {
    let number = max((moves.last?.number ?? 0) + 1, sentAt.milliseconds)
    guard Move.numbers.contains(number) else { return }
    moves.append(Move(number: number, id: id, from: from, to: to))
    moves.removeFirst(max(0, moves.count - Move.countMax))
  }
}
