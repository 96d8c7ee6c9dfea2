import Feed
import JSONBytes
import Simulator
import Testing
import Wire

@testable import Proxy

/// Bad elements in an upstream's answer, from the socket to the slice.
@Suite(.serialized) struct FaultyElementTests {
  /// How many of 20 items are served, how many stand where the upstream does, and what is counted.
  @Test(
    arguments: [
      (Fault.badItem, 19, nil), (.twice, 19, "repeated"), (.disorder, 20, "displaced"),
      (.badUTF8, 19, "broken"), (.huge, 20, ""),
    ] as [(Fault, Int, String?)])
  func theGoodItemsAreKept(fault: Fault, served: Int, counted: String?) async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(20), policy: policy)) { stand in
      stand.qiita.script([.fault(fault), .fault(fault)])
      let truth = stand.qiita.withQiita { $0.world.ids }
      let slice = try stand.client.get("/v1/qiita/items?limit=100").slice()
      // Another element is at fault in the next answer, which is asked for at once.
      #expect(slice.ids.count >= served)
      #expect(slice.ids == truth.filter(slice.ids.contains))
      #expect(slice.items.allSatisfy { JSON.isValid($0[...]) })
      #expect(slice.envelope.hasMore == false)
      if fault == .huge { #expect(slice.items.contains { $0.count > 3_000_000 }) }
      let metrics = String(
        decoding: try stand.client.get("/metrics").body, as: UTF8.self
      ).split(separator: "\n").filter { $0.hasPrefix("tsugi_upstream_faulty_elements_total{") }
      // A bad item is one of three kinds.
      #expect(metrics.isEmpty == (counted == ""))
      if let counted { #expect(metrics.allSatisfy { $0.contains("fault=\"\(counted)\"") }) }
      // What the same fault does to another element takes nothing away.
      let again = try stand.client.get("/v1/qiita/items?limit=100&refresh=true").slice()
      #expect(again.ids.count >= served)
      let sound = try stand.client.get("/v1/qiita/items?limit=100&refresh=true").slice()
      #expect(sound.ids == truth)
    }
  }
}
