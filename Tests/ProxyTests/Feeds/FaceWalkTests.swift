import Foundation
import Simulator
import Support
import Testing
import Wire

/// Walks over an API of each addressing while it moves and fails, each judged by the proof that its
/// own slices claim.
@Suite(.serialized) struct FaceWalkTests {
  /// How one walk goes.
  private struct Course: CustomStringConvertible, Sendable {
    let seed: UInt64
    let face: Face
    let isObserved: Bool

    /// Faces of all kinds, in turn.
    init(seed: UInt64) {
      self.seed = seed
      var generator = Support.SeededGenerator(seed: seed)
      let addressings = Face.Addressing.allCases
      face = {
        var face = Face(addressings[Int(seed) % addressings.count])
        let sizes = face.addressing == .page || face.addressing == .next
        if sizes, generator.next() % 3 == 0 {
          face.pageSize = [20, 50].randomElement(using: &generator)
        }
        face.total = Face.Total.allCases.randomElement(using: &generator) ?? .exact
        if generator.next() % 4 == 0 { face.cap = 250 }
        let mayBeCoarse = face.addressing == .offset || face.addressing == .next
        face.isCoarse = mayBeCoarse && generator.next() % 2 == 0
        return face
      }()
      isObserved = face.addressing != .time && generator.next() % 4 == 0
    }

    var description: String { "\(seed) \(face)\(isObserved ? " observed" : "")" }
  }

  @Test(arguments: Extent.seeds(6, of: 40))
  func noWalkIsWorseThanItsProof(seed: UInt64) async throws {
    let course = Course(seed: seed)
    let ties = [0, 0.1, 0.4][Int(seed / 5) % 3]
    let world = smallWorld(400, seed: seed, ties: ties)
    let drift = Drift(
      [.insert: 0.6, .delete: 0.5, .late: seed % 2 == 0 ? 0.2 : 0], moveRate: 0)
    let options = Qiita.Options(
      drift: drift, faults: seed % 3 == 0 ? [.badGateway: 0.05, .cut: 0.05, .notJSON: 0.03] : [:],
      budget: 1_000_000, face: course.face)
    try await Stand.run(try await Stand(world, options: options)) { stand in
      let limit = [7, 20, 33, 100][Int(seed) % 4]
      let feed = course.isObserved ? "loose" : "items"
      let slices = try patientWalk(stand, "/v1/list/\(feed)?limit=\(limit)")
      let ids = slices.flatMap(\.ids)
      #expect(Set(ids).count == ids.count, "an item came twice: \(course)")
      let seconds = stand.qiita.withQiita { qiita in
        ids.compactMap { qiita.world.createdAtSeconds(of: $0) }
      }
      if !course.isObserved {
        #expect(seconds == seconds.sorted(by: >), "the order broke: \(course)")
      }
      let proofs = Set(slices.compactMap(\.envelope.proof))
      #expect(proofs.isSubset(of: claimed(by: course)), "\(proofs) of \(course)")
      guard proofs.isSubset(of: ["value", "sight", "whole"]) else { return }
      let missing = missing(ids, stand, course)
      #expect(missing.isEmpty, "holes of \(course): \(missing)")
    }
  }

  /// What a course may rest on at most.
  private func claimed(by course: Course) -> Set<String> {
    let own: Set = ["value", "sight", "whole"]
    switch course.face.addressing {
    case .page where course.face.pageSize != nil:
      return own.union([course.face.total == .exact ? "count" : "none"])
    case .next: return own.union([course.face.isCoarse ? "none" : "upstream"])
    default: return own
    }
  }

  /// What was there all the time, within reach and long enough, and was not shown.
  private func missing(_ ids: [String], _ stand: Stand, _ course: Course) -> [String] {
    let calls = stand.qiita.calls
    let shown = Set(ids)
    return stand.qiita.withQiita { qiita in
      let world = qiita.world
      let present = world.idsPresent(from: calls.first?.step ?? 0, through: world.step)
      let settled = Int64(Date().timeIntervalSince1970) - 60
      let reachable = course.face.cap.map { $0 - 60 } ?? present.count
      return present.prefix(reachable).filter { id in
        (world.createdAtSeconds(of: id) ?? 0) < settled && !shown.contains(id)
      }
    }
  }

  /// A walk that asks again where the upstream failed, as an app does.
  private func patientWalk(_ stand: Stand, _ target: String) throws -> [SliceReply] {
    var slices: [SliceReply] = []
    var next: String? = target
    var failures = 0
    while let target = next, slices.count < 1_000 {
      let reply = try stand.client.get(target)
      guard reply.status == 200 else {
        failures += 1
        guard failures < 100 else { throw Client.WalkFailure(target: target, reply: reply) }
        Thread.sleep(forTimeInterval: 0.3)
        continue
      }
      let slice = try reply.slice()
      slices.append(slice)
      next = slice.envelope.next
    }
    return slices
  }
}
