import Bytes
import Testing

@testable import Proxy

/// A path may be written in several ways that mean the same.
@Suite struct PathFormsTests {
  @Test(arguments: [
    ("/v1", "/v1"), ("/v1/", "/v1"), ("/", "/"), ("/v1/qiita/items/", "/v1/qiita/items"),
    ("/v1/qiita/item%73", "/v1/qiita/items"), ("/%76%31", "/v1"), ("/a%7Eb%2Dc", "/a~b-c"),
    // What is reserved, or no encoding, stays as it is; nothing is decoded twice.
    ("/CI%2FCD", "/CI%2FCD"), ("/a%20b", "/a%20b"), ("/%2573", "/%2573"), ("/%+1", "/%+1"),
    ("/%e3%81%82", "/%e3%81%82"), ("/a%", "/a%"), ("/a%4", "/a%4"), ("/a%zz", "/a%zz"),
  ])
  func isNormalized(path: String, normalized: String) {
    #expect(PercentCoding.normalized(path) == normalized)
    #expect(PercentCoding.normalized(normalized) == normalized)
  }

  @Test func allFormsAreAnsweredAlike() async throws {
    try await Stand.run(try await Stand(smallWorld(30))) { stand in
      let plain = try stand.client.get("/v1/qiita/items?limit=5&fields=id")
      let ids = try SliceReply(plain.body).ids
      #expect(ids.count == 5)
      for path in ["/v1/qiita/items/", "/v1/qiita/item%73", "/%761/qiita/items"] {
        let other = try stand.client.get("\(path)?limit=5&fields=id")
        let others = try SliceReply(other.body).ids
        #expect(others == ids, "\(path)")
      }
      let index = try stand.client.get("/v1").body
      let same = try stand.client.get("/v1/").body
      #expect(same == index)
      // A dot segment is one however it is written.
      for path in ["/v1/qiita/%2e%2e/items", "/v1/qiita/../items", "/v1/qiita//items"] {
        let status = try stand.client.get(path).status
        #expect(status == 400, "\(path)")
      }
    }
  }

  @Test func bodiesForPeopleEndWithANewline() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      for path in ["/v1", "/nothing", "/v1/other/items", "/v1/qiita/items?limit=0"] {
        let body = try stand.client.get(path).body
        #expect(body.last == UInt8(ascii: "\n"), "\(path)")
      }
    }
  }

  @Test func anUnknownParameterIsToldWhichAreKnown() async throws {
    try await Stand.run(try await Stand(smallWorld(1))) { stand in
      let body = try stand.client.get("/v1/qiita/items?limits=5").body
      let text = String(decoding: body, as: UTF8.self)
      #expect(text.contains("known are "))
      for name in ["limit", "startAfter", "refresh", "query"] {
        #expect(text.contains(name), "\(name)")
      }
    }
  }
}
