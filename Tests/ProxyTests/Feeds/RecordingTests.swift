import Foundation
import JSONBytes
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(
  .serialized,
  .enabled(if: !Checkout.recordedAnswers.isEmpty, "the recordings are not beside the project"))
struct RecordingTests {
  @Test(arguments: Checkout.recordedAnswers)
  func everyRecordedItemComesOnceInOrderByteForByte(file: URL) async throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    let recorded = try JSON.elements(of: bytes).map { Array(bytes[$0]) }
    let world = World(recording: try Recording(files: [bytes]))
    try await Stand.run(try await Stand(world)) { stand in
      let slices = try stand.client.walk("/v1/qiita/items?limit=7")
      let items = slices.flatMap(\.items)
      #expect(items.count == recorded.count)
      #expect(Set(items) == Set(recorded))
      #expect(slices.flatMap(\.ids) == stand.qiita.withQiita { $0.world.ids })
      let one = try #require(slices.first?.ids.first)
      #expect(try stand.client.get("/v1/qiita/items/\(one)").body == items[0])
    }
  }

  @Test func allRecordingsTogetherMakeOneFeed() async throws {
    let files = try Checkout.recordedAnswers.map { [UInt8](try Data(contentsOf: $0)) }
    let world = World(recording: try Recording(files: files))
    try await Stand.run(try await Stand(world)) { stand in
      let slices = try stand.client.walk("/v1/qiita/items?limit=100")
      #expect(slices.flatMap(\.ids) == stand.qiita.withQiita { $0.world.ids })
      #expect(slices.flatMap(\.ids).count > 100)
    }
  }
}
