import History
import Support
import Testing

@testable import Feed

/// Walks past elements whose `created_at` becomes older.
@Suite struct TrailTests {
  /// A list whose elements move down while a walk reads it: what is known is what is there.
  private struct Model {
    var random: SeededGenerator
    var timeline = Timeline()
    /// Where each element stands; nil while it has left.
    var places: [Identity: Position?] = [:]
    var now: Int64 = 1_000_000

    init(seed: UInt64, count: Int) {
      random = SeededGenerator(seed: seed)
      for number in 0..<count {
        let id = Identity("e\(number)")
        places[id] = Position(order: Int64(random.number(0...count)), tie: id.bytes)
      }
    }

    /// The elements below a cut, top first.
    func elements(below cut: Cut) -> [(id: Identity, position: Position)] {
      places.compactMap { id, place in place.map { (id, $0) } }
        .filter { !cut.isBelow($0.1) }.sorted { $0.1 > $1.1 }
    }

    /// Something moves down, leaves, or comes back where it stood or further down; most of the time
    /// not.
    mutating func happen(leaving: Bool) {
      now += 1
      let ids = places.keys.sorted { $0.text < $1.text }
      guard let id = ids.randomElement(using: &random), let place = places[id] else { return }
      let at = Timestamp(milliseconds: now)
      guard let place else {
        let position = Position(order: Int64(random.number(0...40)), tie: id.bytes)
        timeline.noteMove(of: id, from: position, to: position, at: at)
        places[id] = .some(position)
        return
      }
      if leaving, random.chance(30) {
        timeline.noteMove(of: id, from: place, to: Cut.bottom.position, at: at)
        places[id] = .some(nil)
        return
      }
      let position = Position(
        order: place.order - Int64(random.number(1...30)), tie: id.bytes)
      timeline.noteMove(of: id, from: place, to: position, at: at)
      places[id] = .some(position)
    }

    /// What a walk from a cut is given, in slices of `limit`.
    mutating func walk(from start: Cut, limit: Int, leaving: Bool, events: Int) throws -> [Identity]
    {
      var trail = Trail(beginningAt: start, timeline.moves)
      var cut = start
      var given: [Identity] = []
      while true {
        trail = trail.passing(cut, timeline.moves)
        let leftOut = trail.leftOut(timeline.moves)
        let slice = elements(below: cut).filter { !leftOut.contains($0.id) }.prefix(limit)
        guard let last = slice.last else { return given }
        given += slice.map(\.id)
        cut = .below(last.position)
        trail = trail.reaching(cut, timeline.moves)
        // As it comes back with a cursor.
        let text = Cursor.text(at: last.position, in: itemsFeed, lineage: 0, trail: trail)
        let reading = try Cursor.reading(text, in: itemsFeed)
        #expect(reading.trail == trail)
        trail = reading.trail
        for _ in 0..<random.number(0...events) { happen(leaving: leaving) }
      }
    }
  }

  @Test(arguments: 0..<200)
  func whatMovesDownIsGivenOnce(seed: Int) throws {
    var model = Model(seed: UInt64(seed), count: 60)
    for _ in 0..<seed % 7 { model.happen(leaving: false) }
    let given = try model.walk(from: .top, limit: 1 + seed % 9, leaving: false, events: 2)
    #expect(given.count == 60 && Set(given).count == 60)
  }

  @Test(arguments: 0..<200)
  func whatLeavesAndComesBackIsGivenOnceAtTheMost(seed: Int) throws {
    var model = Model(seed: UInt64(seed), count: 60)
    for _ in 0..<seed % 7 { model.happen(leaving: true) }
    let gone = model.places.filter { $0.value == nil }.count
    let given = try model.walk(from: .top, limit: 1 + seed % 9, leaving: true, events: 2)
    #expect(Set(given).count == given.count && given.count >= 60 - gone - 40)
  }

  @Test(arguments: 0..<100)
  func aWalkThatBeginsBelowIsGivenWhatComesDownFromAboveIt(seed: Int) throws {
    var model = Model(seed: UInt64(seed), count: 60)
    let start = Cut.below(key: 30)
    let below = Set(model.elements(below: start).map(\.id))
    let given = try model.walk(from: start, limit: 5, leaving: false, events: 1)
    #expect(Set(given).count == given.count && below.isSubset(of: given))
    // What stood above the walk's beginning, and is below its end at last, came into what it read
    // later or not: none of it was taken for given.
    let moved = Set(model.timeline.moves.filter { $0.from.order >= 30 }.map(\.id))
    #expect(Set(given).subtracting(below).isSubset(of: moved))
  }

  @Test func isForgottenFromTheOldestMoveOn() {
    var timeline = Timeline()
    for number in 0..<Move.countMax + 5 {
      let place = Position(order: Int64(number), tie: [])
      timeline.noteMove(of: Identity("a"), from: place, to: place, at: Timestamp(seconds: 1))
    }
    #expect(timeline.moves.count == Move.countMax)
    #expect(timeline.moves.first?.from.order == 5)
    #expect(zip(timeline.moves, timeline.moves.dropFirst()).allSatisfy { $0.number < $1.number })
  }

  @Test func aLongTrailLeavesItsOldestMovesAway() throws {
    let given = (1...100).map { Int64($0) * 1_000_000 }
    let trail = Trail(known: 1 << 50, begin: 1 << 40, given: given)
    for count in [0, 20, Identity.bytesMax] {
      let position = Position(order: 5, tie: [UInt8](repeating: 7, count: count))
      let text = Cursor.text(at: position, in: itemsFeed, lineage: 0, trail: trail)
      #expect(text.utf8.count <= Cursor.bytesMax)
      let reading = try Cursor.reading(text, in: itemsFeed)
      #expect(reading.position == position)
      #expect(reading.trail.known == trail.known && reading.trail.begin == trail.begin)
      let kept = reading.trail.given
      #expect(kept.count > 3 && kept == Array(given.suffix(kept.count)))
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max], [Int64.min, 0, 1, .max])
  func noPlaceIsTooFarApart(order: Int64, begin: Int64) throws {
    let position = Position(order: order, tie: [1])
    let trail = Trail(known: 1, begin: begin)
    let text = Cursor.text(at: position, in: itemsFeed, lineage: 0, trail: trail)
    let reading = try Cursor.reading(text, in: itemsFeed)
    #expect(reading.position == position && reading.trail.known == 1)
    // One that cannot be told counts as the top: then nothing is given twice.
    #expect(reading.trail.begin == begin || reading.trail.begin == nil)
  }
}
