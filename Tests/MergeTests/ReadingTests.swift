import Feed
import Support
import Testing

@testable import Merge

/// One request's steps, performed by hand.
struct ReadingTests {
  /// Two parts of one realm, of which all is known.
  private func siblings() async throws -> Scene {
    let scenes = (0..<50).lazy.compactMap { Scene(seed: $0, count: 2) }
    let scene = try #require(scenes.first { $0.upstream.parts[1].realm == 0 })
    _ = try await scene.slice(scene.request(limit: 100))
    return scene
  }

  @Test func readsAPartAgainThatHasMovedSinceItWasRead() async throws {
    let scene = try await siblings()
    var request = scene.request(limit: 3)
    request.asksNothing = true
    let parts = try #require(MergedParts(scene.merged))
    var reading = try MergeReading(request, of: parts, version: 0, at: scene.clock.now)
    guard case .read(let pieces) = reading.next() else { return #expect(Bool(false)) }
    var slices: [Slice] = []
    for read in pieces {
      slices.append(try await scene.parts[read.part].slice(read.request))
      reading.take(.success(slices[read.part]), of: read)
    }
    guard case .read(let places) = reading.next(), let place = places.first,
      case .place(let id, nil) = place.purpose
    else { return #expect(Bool(false)) }
    // It is not there any more: it stood further up when the walk came by.
    var slice = slices[place.part]
    slice.items = []
    let position = Position(order: 0, tie: id.bytes)
    slice.moves.append(Move(number: 1, id: id, from: position, to: position))
    reading.take(.success(slice), of: place)
    guard case .read(let again) = reading.next() else { return #expect(Bool(false)) }
    #expect(again.map(\.part) == [place.part] && again.first?.purpose == .piece)
  }

  /// Two parts, read below 90 s: the first has nothing down to 70, and what it has from there to
  /// 60 can never be read; the second has an item at 80.
  private struct Hole {
    let scene: Scene
    let parts: MergedParts
    var reading: MergeReading

    init(known first: Freshness, asking: Bool) throws {
      scene = try #require(Scene(seed: 5, Scene.Traits(siblings: false), count: 2))
      parts = try #require(MergedParts(scene.merged))
      var request = scene.request(limit: 1)
      (request.start, request.asksNothing) = (.cut(.below(key: 90_000)), !asking)
      reading = try MergeReading(request, of: parts, version: 0, at: scene.clock.now)
      guard case .read(let pieces) = reading.next() else { throw ReadError.notFound }
      var empty = slice(nil, from: 90, to: 70, of: 0)
      (empty.freshness, empty.isGapSunk) = (first, true)
      empty.gap = Slice.Gap(upper: cut(70, of: 0), lower: cut(60, of: 0))
      reading.take(.success(empty), of: pieces[0])
      reading.take(.success(slice("x", from: 90, to: 80, of: 1)), of: pieces[1])
    }

    private func cut(_ second: Int64, of part: Int) -> Cut {
      parts.roles[part].scale.partCut(.below(key: 1_000 * second))
    }

    func slice(_ item: String?, from upper: Int64, to lower: Int64, of part: Int) -> Slice {
      let (upper, lower) = (cut(upper, of: part), cut(lower, of: part))
      let elements = item.map { id in
        let position = Position(order: lower.position.order, tie: Array(id.utf8))
        return [Element(position: position, id: Identity(id), bytes: [])]
      }
      return Slice(
        of: elements ?? [],
        covers: CutRange(
          upper: upper, lower: (elements?.first).map { .below($0.position) } ?? lower),
        hasMore: true, hasPrevious: true, endReason: nil, freshness: .at(scene.clock.now))
    }
  }

  @Test func restsOnWhatIsKnownAboveAHoleThatIsPassed() throws {
    let old = Freshness.at(Timestamp(seconds: 1))
    var hole = try Hole(known: old, asking: false)
    guard case .read(let again) = hole.reading.next() else { return #expect(Bool(false)) }
    hole.reading.take(.success(hole.slice("k", from: 60, to: 50, of: 0)), of: again[0])
    guard case .serve(let outcome) = hole.reading.next() else { return #expect(Bool(false)) }
    let shown = hole.reading.slice(outcome)
    #expect(shown.items.map(\.id.text) == ["x"] && shown.missing.isEmpty)
    #expect(shown.freshness.provenAt == old.provenAt)
  }

  @Test func asksAgainWhatHasExpiredAboveAHole() throws {
    var expired = Freshness.at(Timestamp(seconds: 1))
    expired.state = .expired
    var hole = try Hole(known: expired, asking: true)
    guard case .ask(let asks) = hole.reading.next() else { return #expect(Bool(false)) }
    #expect(asks.map(\.part) == [0])
    // From the cursor on, not from below the hole.
    let upper = asks.first?.request.start.flatMap { start -> Cut? in
      if case .walked(let cut, _) = start { return cut }
      if case .cut(let cut) = start { return cut }
      return nil
    }
    #expect(upper == hole.parts.roles[0].scale.partCut(.below(key: 90_000)))
  }
}
