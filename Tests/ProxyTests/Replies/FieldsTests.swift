import Bytes
import Feed
import Foundation
import JSONBytes
import Simulator
import Support
import Testing
import Wire

@testable import Proxy

@Suite(.serialized) struct FieldsTests {
  private static let fields = "id,title,user.profile_image_url,tags.name"

  /// The names of a JSON object's members, in order.
  private func names(_ object: ArraySlice<UInt8>) throws -> [String] {
    let text = String(decoding: object, as: UTF8.self)
    return try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    ).keys.sorted()
  }

  @Test func itemsAreCutToWhatIsAsked() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let whole = try stand.client.get("/v1/qiita/items?limit=10").slice()
      let cut = try stand.client.get("/v1/qiita/items?limit=10&fields=\(Self.fields)").slice()
      #expect(cut.ids == whole.ids)
      for (item, original) in zip(cut.items, whole.items) {
        #expect(try names(item[...]) == ["id", "tags", "title", "user"])
        let user = try #require(try JSON.member("user", of: item[...]))
        #expect(try names(item[user]) == ["profile_image_url"])
        for path in [["id"], ["title"], ["user", "profile_image_url"]] {
          let kept = try #require(try JSON.member(at: path, of: item[...]))
          let value = try #require(try JSON.member(at: path, of: original[...]))
          #expect(item[kept] == original[value])
        }
        let tags = try #require(try JSON.member("tags", of: item[...]))
        let known = try #require(try JSON.member("tags", of: original[...]))
        let elements = try JSON.elements(of: item[tags])
        #expect(try elements.count == JSON.elements(of: original[known]).count)
        for tag in elements { #expect(try names(item[tag]) == ["name"]) }
      }
    }
  }

  @Test func theIdentityIsAlwaysKept() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let slice = try stand.client.get("/v1/qiita/items?limit=3&fields=nothing").slice()
      #expect(slice.ids.allSatisfy { !$0.isEmpty })
      for item in slice.items { #expect(try names(item[...]) == ["id"]) }
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
      let likes = try stand.client.get("/v1/qiita/items/\(id)/likes?fields=created_at").slice()
      #expect(!likes.items.isEmpty)
      for like in likes.items {
        #expect(try names(like[...]) == ["created_at", "user"])
        let user = try #require(try JSON.member("user", of: like[...]))
        #expect(try names(like[user]) == ["id"])
      }
    }
  }

  @Test func linksKeepThem() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let target = "/v1/qiita/items?limit=7&fields=id,%E5%90%8D.x"
      let slices = try stand.client.walk(target)
      #expect(slices.flatMap(\.ids) == stand.qiita.withQiita { $0.world.ids })
      for item in slices.flatMap(\.items) { #expect(try names(item[...]) == ["id"]) }
      let first = try #require(slices.first?.envelope.next)
      #expect(first.hasPrefix("/v1/qiita/items?limit=7&fields=id,%E5%90%8D.x&startAfter="))
      let second = try stand.client.get(first)
      #expect(try second.slice().envelope.previous?.contains("&fields=id,%E5%90%8D.x&") == true)
      let link = try #require(second["Link"])
      #expect(link.components(separatedBy: "&fields=id,%E5%90%8D.x").count == 4)
    }
  }

  @Test func theTagSpeaksOfWhatIsKeptOnly() async throws {
    var policy = Policy()
    policy.refreshSeconds = 0
    try await Stand.run(try await Stand(smallWorld(25), policy: policy)) { stand in
      func tags(_ more: String = "") throws -> [String?] {
        try ["", "&fields=id,title", "&fields=id,likes_count", "&fields=title,id"].map {
          try stand.client.get("/v1/qiita/items?limit=5\($0)\(more)")["ETag"]
        }
      }
      let before = try tags()
      #expect(Set(before).count == 4)
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      stand.qiita.withQiita { qiita in _ = qiita.world.count(id: id) }
      _ = try stand.client.get("/v1/qiita/items?refresh=true")
      let after = try tags()
      #expect(before[0] != after[0])
      #expect(before[1] == after[1])
      #expect(before[2] != after[2])
      let known = try stand.client.get(
        "/v1/qiita/items?limit=5&fields=id,title", ["If-None-Match: \(before[1] ?? "")"])
      #expect(known.status == 304)
    }
  }

  @Test func finishedAnswersAreKeptForEachSelection() async throws {
    try await Stand.run(try await Stand(smallWorld(25), time: HandClock())) { stand in
      let targets = ["", "&fields=id", "&fields=title"].map { "/v1/qiita/items?limit=5\($0)" }
      let first = try targets.map { try stand.client.get($0).body }
      #expect(Set(first).count == 3)
      for _ in 0..<3 { #expect(try targets.map { try stand.client.hit($0).body } == first) }
    }
  }

  /// More than the loop renders, more than it cuts, and little left of much.
  @Test(arguments: [("body,rendered_body", 60), ("id", 60), ("body", 3), ("id", 3)])
  func largeItemsAreCutBesideTheLoop(fields: String, kilobytes: Int) async throws {
    let world = World(
      WorldOptions(
        itemCount: 20, bodyBytes: kilobytes << 10,
        topSeconds: Int64(Date().timeIntervalSince1970) - 600))
    try await Stand.run(try await Stand(world)) { stand in
      let whole = try stand.client.get("/v1/qiita/items").slice()
      let cut = try stand.client.get("/v1/qiita/items?fields=\(fields)").slice()
      #expect(cut.ids == whole.ids)
      let kept = Set(fields.components(separatedBy: ",") + ["id"])
      for item in cut.items { #expect(try Set(names(item[...])) == kept) }
    }
  }

  @Test func aSingleItemIsCutToo() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let id = try #require(stand.qiita.withQiita { $0.world.ids.first })
      let whole = try stand.client.get("/v1/qiita/items/\(id)")
      let cut = try stand.client.get("/v1/qiita/items/\(id)?fields=title,user.id")
      #expect(try names(cut.body[...]) == ["id", "title", "user"])
      #expect(cut["ETag"] != whole["ETag"])
      let title = try #require(try JSON.member("title", of: cut.body[...]))
      let original = try #require(try JSON.member("title", of: whole.body[...]))
      #expect(cut.body[title] == whole.body[original])
      let bad = try stand.client.get("/v1/qiita/items/\(id)?fields=a..b")
      #expect(try bad.problem().code == "invalid_fields")
    }
  }

  private static let many = (1...33).map { "f\($0)" }
  private static let long = String(repeating: "a", count: FieldSelection.bytesMax)

  @Test(arguments: [
    ",", "id,", ",id", "id,,title", ".", "user.", ".id", "user..id", "a.b.c.d.e",
    many.joined(separator: ","), long + "a", "%20id", "id%20", "id,%20title", "a%00b", "a%7f",
  ])
  func aBadSelectionNamesItself(fields: String) async throws {
    let rejection = #expect(throws: Rejection.self) {
      try FieldSelection(PercentCoding.decoded(fields.utf8) ?? [])
    }
    #expect(rejection?.code == .invalidFields)
    #expect(rejection?.parameter == "fields")
  }

  @Test(arguments: [
    "id", "a.b.c.d", many.dropLast().joined(separator: ","), long, "id,id", "user,user.id",
    "first name", "名前", "a-b_c:d/e",
  ])
  func aGoodSelectionIsTaken(fields: String) throws {
    _ = try FieldSelection(Array(fields.utf8))
  }

  @Test func whatLinksSayIsReadAsTheSame() throws {
    for text in ["id,user.name", "first name,a%b.名前", "a&b=c#d+e"] {
      let selection = try FieldSelection(Array(text.utf8))
      let read = try #require(PercentCoding.decoded(selection.text.utf8))
      #expect(String(decoding: read, as: UTF8.self) == text)
      #expect(selection.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x26 })
    }
  }

  @Test func whatWasReadBeforeIsTheSame() throws {
    let known = FieldsMemo()
    for _ in 1...2 {
      for path in [["id"], ["user", "id"]] {
        for text in ["id", "title,user.name", "user"] {
          let value = Array(text.utf8)
          #expect(
            try known.selection(value, identityPaths: [path])
              == FieldSelection(value, identityPaths: [path]))
        }
        #expect(throws: Rejection.self) {
          try known.selection(Array("a..b".utf8), identityPaths: [path])
        }
      }
    }
    #expect(known.count == 6)
  }

  /// Texts that Unicode takes for the same, a path's for one, are known apart.
  @Test func whatIsKnownByBytesIsNotMixedUp() throws {
    let texts = ["/v1/qiita/tags/\u{e9}/items", "/v1/qiita/tags/e\u{301}/items"]
    #expect(texts[0] == texts[1])
    let known = Memo<ByteKey, Int>(countMax: 2)
    for _ in 1...2 {
      for (index, text) in texts.enumerated() {
        #expect(try known.value(by: ByteKey(text.utf8)) { index } == index)
      }
    }
    #expect(known.count == 2)
  }

  @Test func knowsSoManyAndBeginsAnew() throws {
    let known = FieldsMemo()
    for number in 1...FieldsMemo.countMax {
      _ = try known.selection(Array("f\(number)".utf8), identityPaths: [["id"]])
      #expect(known.count == number)
    }
    _ = try known.selection(Array("f1".utf8), identityPaths: [["id"]])
    #expect(known.count == FieldsMemo.countMax)
    _ = try known.selection(Array("one more".utf8), identityPaths: [["id"]])
    #expect(known.count == 1)
  }

  @Test(arguments: [("", "invalid_parameter"), ("a..b", "invalid_fields")])
  func theServerRefusesABadSelection(fields: String, code: String) async throws {
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      let reply = try stand.client.get("/v1/qiita/items?fields=\(fields)")
      #expect(reply.status == 400)
      #expect(try reply.problem().code == code)
      #expect(try reply.problem().parameter == "fields")
    }
  }

  /// The store's disk may damage what was good once: then a client gets all that is there.
  @Test func whatCannotBeCutStaysWhole() throws {
    let selection = try FieldSelection(Array("id".utf8))
    let damaged = Array(#"{"id":"a","x"#.utf8)
    #expect(selection.cut(damaged) == damaged)
  }
}
