import Testing

@testable import tsugi

@Suite struct FeedURLTests {
  @Test(arguments: [
    ("http://h:1/v1/qiita/items", "http://h:1/v1/qiita/items"),
    ("HTTP://h", "http://h/"),
    ("http://[::1]:8080?a=b", "http://[::1]:8080/?a=b"),
    ("https://h/items?query=次#top", "https://h/items?query=%E6%AC%A1"),
  ])
  func readsWhatAPersonWrites(_ text: String, _ expected: String) {
    #expect(FeedURL(text)?.description == expected)
  }

  @Test(arguments: ["", "h/items", "/v1/qiita/items", "ftp://h/", "http://", "http:///items"])
  func refusesWhatIsNoAbsoluteURL(_ text: String) {
    #expect(FeedURL(text) == nil)
  }

  @Test func appendsParameters() throws {
    var url = try #require(FeedURL("http://h/items"))
    url.append("limit", "5")
    url.append("fields", "id,user.id")
    #expect(url.target == "/items?limit=5&fields=id%2Cuser.id")
  }

  @Test func followsAPathOfItsOrigin() throws {
    let url = try #require(FeedURL("http://h:1/v1/qiita/items?limit=5"))
    #expect(url.following("/v1/x?startAfter=c")?.description == "http://h:1/v1/x?startAfter=c")
    #expect(url.following("http://h:1/v1/y")?.description == "http://h:1/v1/y")
  }

  @Test(arguments: ["//evil/items", "http://h:2/items", "https://h:1/items", "items", ""])
  func neverLeavesItsOrigin(_ next: String) throws {
    let url = try #require(FeedURL("http://h:1/v1/qiita/items"))
    #expect(url.following(next) == nil)
  }
}
