import Bytes
import Testing

@testable import Upstream

struct BaseURLTests {
  @Test(arguments: [
    ("https://qiita.com/api/v2", "https://qiita.com/api/v2"),
    ("HTTP://[::1]:80/", "HTTP://[::1]:80"),
    ("https://team.qiita.com//", "https://team.qiita.com"),
  ])
  func takesWhatAPathCanBeAddedTo(text: String, base: String) {
    #expect(BaseURL(text)?.text == base)
  }

  @Test(arguments: [
    "", "qiita.com", "ftp://qiita.com", "file:///etc/passwd", "https://", "https://a@qiita.com",
    "https://qiita.com/?a", "https://qiita.com/#a", "https://qiita.com/a b", "https://qiita.com:x",
    "https://名前.jp", "https://qiita.com\\a",
  ])
  func refusesWhatItCannotBeAddedTo(text: String) {
    #expect(BaseURL(text) == nil)
  }

  @Test(arguments: [
    ("https://qiita.com/a", "HTTPS://QIITA.com:443/b", true),
    ("https://qiita.com", "http://qiita.com", false),
    ("https://qiita.com", "https://qiita.com:444", false),
    ("https://qiita.com", "https://qiita.com.evil.example", false),
    ("https://qiita.com", "https://qiita.com@evil.example", false),
  ])
  func comparesOrigins(a: String, b: String, areSame: Bool) {
    #expect((Origin(url: a) == Origin(url: b)) == areSame)
  }

  @Test(arguments: ["", "a b", "a\r\nX: y", "日本", String(repeating: "a", count: 513)])
  func refusesTokenThatIsNone(text: String) {
    #expect(Secret(text, length: Secret.tokenLength) == nil)
  }

  @Test func hidesToken() throws {
    let token = try #require(Secret("secret-0123", length: Secret.tokenLength))
    var dumped = ""
    dump(token, to: &dumped)
    #expect(!"\(token) \(String(reflecting: [token])) \(dumped)".contains("secret"))
  }
}
