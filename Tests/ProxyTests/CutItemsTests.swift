import Feed
import JSONBytes
import Simulator
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct CutItemsTests {
  private func fields(_ text: String) throws -> FieldSelection {
    try FieldSelection(Array(text.utf8))
  }

  private func content(_ number: Int, bytes: Int = 10) -> [UInt8] {
    Array("{\"id\":\(number),\"text\":\"\(String(repeating: "a", count: bytes))\"}".utf8)
  }

  @Test func knowsWhatItCutUntilTheVersionMoves() throws {
    let items = CutItems()
    let table = items.table(of: "qiita", cutTo: try fields("id"), version: 1)
    #expect(table.known(of: 7) == nil)
    let cut = Array(#"{"id":7}"#.utf8)
    let shaped = ShapedContent(bytes: cut, digest: Digest.value(of: cut))
    #expect(table.shaped(content(7), of: 7) == shaped)
    #expect(table.known(of: 7) == shaped)
    let others = [("qiita", "text", 1), ("files", "id", 1)] as [(String, String, UInt64)]
    for (source, text, version) in others {
      let other = items.table(of: source, cutTo: try fields(text), version: version)
      #expect(other.known(of: 7) == nil)
    }
    let same = items.table(of: "qiita", cutTo: try fields("id"), version: 1)
    #expect(same.known(of: 7) != nil)
    let later = items.table(of: "qiita", cutTo: try fields("id"), version: 2)
    #expect(later.known(of: 7) == nil)
    #expect(items.bytes == 0)
  }

  @Test func keepsSoManyBytesAndBeginsAnew() throws {
    let items = CutItems()
    let table = items.table(of: "qiita", cutTo: try fields("text"), version: 1)
    let size = 100_000
    let cut = try #require(table.shaped(content(0, bytes: size), of: 0)).bytes
    let each = cut.count + CutItems.placeBytes
    let most = Int64(CutItems.bytesMax / each)
    for item in 1..<most {
      let table = items.table(of: "qiita", cutTo: try fields("text"), version: 1)
      _ = table.shaped(content(0, bytes: size), of: item)
    }
    #expect(items.bytes == Int(most) * each)
    #expect(table.known(of: 0) != nil)
    let full = items.table(of: "qiita", cutTo: try fields("text"), version: 1)
    #expect(full.shaped(content(0, bytes: size), of: most) != nil)
    #expect(items.bytes == 0)
    #expect(full.known(of: 0) == nil)
    // The slice being read still ends, and nothing of it is kept or counted.
    _ = full.shaped(content(0, bytes: size), of: most + 1)
    #expect(items.bytes == 0)
    #expect(full.known(of: most + 1) == nil)
  }

  @Test func knowsSoManyWaysOfCutting() throws {
    let items = CutItems()
    for number in 0..<CutItems.tablesMax {
      _ = items.table(of: "qiita", cutTo: try fields("f\(number)"), version: 1)
    }
    #expect(items.tableCount == CutItems.tablesMax)
    _ = items.table(of: "qiita", cutTo: try fields("f0"), version: 1)
    #expect(items.tableCount == CutItems.tablesMax)
    _ = items.table(of: "qiita", cutTo: try fields("more"), version: 1)
    #expect(items.tableCount == 1)
  }

  /// What is more than the loop may cut for one slice is left to be cut beside it.
  @Test func cutsSoMuchForOneSlice() throws {
    let items = CutItems()
    let most = content(1, bytes: Gateway.bytesCutOnLoopMax - content(1, bytes: 0).count)
    let table = items.table(of: "qiita", cutTo: try fields("id"), version: 1)
    #expect(table.shaped(most, of: 1) != nil)
    #expect(table.shaped(content(2), of: 2) == nil)
    let next = items.table(of: "qiita", cutTo: try fields("id"), version: 1)
    #expect(next.shaped(content(2), of: 2) != nil)
  }

  /// Whatever changed and whatever was cut before, an item is cut of what it is now.
  @Test func slicesAreCutOfWhatIsStored() async throws {
    var policy = Stand.policy
    policy.refreshSeconds = 0
    policy.prefetchItems = 0
    try await Stand.run(try Stand(smallWorld(40), policy: policy)) { stand in
      let client = stand.client
      let ids = stand.qiita.withQiita { $0.world.ids }
      for round in 0..<40 {
        if round % 3 == 0, let id = ids.randomElement() {
          stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
        }
        _ = try client.get("/v1/qiita/items?limit=40&refresh=true")
        let fields = ["id,likes_count", "user", "likes_count,title,tags.name"][round % 3]
        let after = ids.randomElement().map { "&startAt=id:\($0)" } ?? ""
        let place = "limit=\(Int.random(in: 1...25))" + (Bool.random() ? after : "")
        let whole = try client.get("/v1/qiita/items?\(place)").slice()
        let cut = try client.get("/v1/qiita/items?\(place)&fields=\(fields)").slice()
        let selection = try self.fields(fields)
        #expect(cut.items == whole.items.map { selection.cut($0) })
        #expect(!cut.items.isEmpty)
      }
    }
  }
}
