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
}
