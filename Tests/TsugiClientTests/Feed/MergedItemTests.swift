import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

/// Items of a merged feed, each with the part that it is from.
struct MergedItemTests {
  private struct Fruit: Codable, Hashable, Sendable, Identifiable {
    var key: Int
    var id: Int { key }
  }

  /// As an app with parts of two kinds has it.
  private enum HomeItem: PartItem, Codable, Hashable {
    case post(Post, FeedOrigin)
    case fruit(Fruit, FeedOrigin)

    init(from decoder: any Decoder, origin: FeedOrigin) throws {
      self =
        switch origin.part {
        case "fruits": .fruit(try Fruit(from: decoder), origin)
        default: .post(try Post(from: decoder), origin)
        }
    }

    var id: String {
      switch self {
      case .post(let post, let origin): origin.id(of: post.id)
      case .fruit(let fruit, let origin): origin.id(of: fruit.id)
      }
    }
  }

  private static let midnight = Date(timeIntervalSince1970: 1_795_219_200)

  private static let reply = TransportReply.json(
    """
    {"items":[{"id":"a","title":"A"},{"title":"no id"},{"key":7},{"id":"a","title":"B"}],"limit":4,
    "origins":[{"part":"dev","at":"2026-11-21T00:00:00.25Z"},{"part":"dev","at":"x"},
    {"part":"fruits","at":"2026-11-21T00:00:00Z"},
    {"part":"swift","at":"2026-11-20T23:00:00Z","shared":"new"}],
    "missing":[{"part":"zenn","reason":"limited","from":"2026-11-21T00:00:00Z","to":null,
    "retryAfterSeconds":30}],
    "hasMore":true,"hasPrevious":false,"startCursor":"s","endCursor":"e","next":null,
    "previous":null,"endReason":null,
    "gap":{"id":"g","skip":"/v1/home/items?startAfter=k","parts":["dev"]},
    "seq":"k3f9x0ab~AA","total":null,"freshness":{"state":"fresh",
    "checkedAt":"2026-11-21T00:00:00Z","provenAt":"2026-11-21T00:00:00Z"}}
    """)

  private func slice<Item: Decodable & Sendable>(of type: Item.Type) throws -> FeedSlice<Item> {
    try FeedSlice<Item>(Self.reply.body, decoder: FeedClient.decoder())
  }

  @Test func haveTheirOriginAndAnIdentityOfTheirOwn() throws {
    let slice = try slice(of: HomeItem.self)
    #expect(slice.items.map(\.id) == ["dev/a", "fruits/7", "new/a"])
    #expect(slice.origins.map(\.part) == ["dev", "fruits", "swift"])
    #expect(slice.origins.first?.at == Self.midnight.addingTimeInterval(0.25))
    #expect(slice.undecodable.map(\.index) == [1])
    #expect(slice.gap?.parts == ["dev"])
    let missing = try #require(slice.missing.first)
    #expect(missing.part == "zenn" && missing.reason == "limited" && missing.to == nil)
    #expect(missing.from == Self.midnight && missing.retryAfterSeconds == 30)
  }

  @Test func ofOneTypeNeedNoTypeOfTheApp() throws {
    let slice = try slice(of: MergedItem<Post>.self)
    #expect(slice.items.map(\.id) == ["dev/a", "new/a"])
    #expect(slice.items.map(\.content.title) == ["A", "B"])
    #expect(slice.items.map(\.origin) == slice.origins)
    #expect(slice.undecodable.map(\.index) == [1, 2])
  }

  /// An app's store keeps the origin with the item.
  @Test func areKeptAndReadAgain() throws {
    let items = try slice(of: HomeItem.self).items
    let coder = ItemCoder<HomeItem>()
    for item in items {
      let data = try #require(coder.encode(item))
      #expect(coder.decode(data) == item)
    }
    let item = try #require(try slice(of: MergedItem<Post>.self).items.last)
    let coder2 = ItemCoder<MergedItem<Post>>()
    #expect(coder2.decode(try #require(coder2.encode(item))) == item)
    #expect(coder2.id("new/a") == "new/a")
  }

  @Test func changeByPartAndIdentity() throws {
    func change(_ json: String) throws -> FeedChange<HomeItem> {
      try FeedClient.decoder().decode(FeedChange<HomeItem>.self, from: Data(json.utf8))
    }
    let upsert = try change(
      #"{"op":"upsert","seq":"k~A","id":7,"part":"fruits","at":"2026-11-21T00:00:00Z","#
        + #""cursor":"c","item":{"key":7}}"#)
    #expect(upsert.id == "fruits/7" && upsert.item?.id == "fruits/7")
    let remove = try change(#"{"op":"remove","seq":"k~A","id":7,"part":"fruits"}"#)
    #expect(remove.id == "fruits/7" && remove.operation == .remove)
    let shared = try change(
      #"{"op":"delete","seq":"k~A","id":"a","part":"swift","shared":"new"}"#)
    #expect(shared.id == "new/a")
    // Whose item cannot be decoded has changed all the same.
    let bad = try change(
      #"{"op":"upsert","seq":"k~A","id":"b","part":"dev","at":"2026-11-21T00:00:00Z","item":{}}"#)
    #expect(bad.id == "dev/b" && bad.item == nil)
  }

  /// A list says what is missing in what it has loaded, each once.
  @MainActor @Test func areMissingInAList() async throws {
    let transport = ScriptedTransport()
    let client = try FeedClient.scripted(transport)
    let list = PagedList(client.feed("home/items", of: MergedItem<Post>.self, limit: 4))
    transport.next(Self.reply)
    transport.next(Self.reply)
    await list.refresh()
    #expect(list.items.map(\.origin.part) == ["dev", "swift"])
    #expect(list.missing.map(\.part) == ["zenn"])
  }

  // MARK: Numbers

  private func number(
    _ numbers: [Int64], watermark: Int64 = 5, epoch: String = "k3f9x0ab", names: UInt32 = 1
  ) -> SequenceNumber {
    .init(rawValue: mergedNumber(numbers, watermark: watermark, epoch: epoch, names: names))
  }

  @Test func areOrderedByTheNumberOfEachPart() {
    let first = number([1, 300, 0])
    #expect(number([1, 301, 0]).isAfter(first) && !first.isAfter(number([1, 301, 0])))
    #expect(number([1, 300, 0], watermark: 6).isAfter(first))
    #expect(first.isCovered(by: first) && first.isCovered(by: number([2, 300, 0])))
    // Neither has seen all of the other.
    let (left, right) = (number([2, 300, 0]), number([1, 70_000, 0]))
    #expect(left.isAfter(right) && right.isAfter(left))
    #expect(!left.isCovered(by: right) && !right.isCovered(by: left))
    for other in [
      number([1, 300]), number([9, 900, 9], names: 2), number([9, 900, 9], epoch: "k3f9x0ac"),
      .init(rawValue: "k3f9x0ab.9"), .init(rawValue: "k3f9x0ab~%"), .init(rawValue: ""),
    ] {
      #expect(!first.isAfter(other) && !other.isAfter(first) && !first.isCovered(by: other))
    }
  }
}
