import Bytes
import Testing

@testable import Probe

/// Tokens that count what was shown, and tokens that name the last element.
@Suite struct TokenTests {
  private static func encoded(_ text: String) -> String { Base64URL.padded(Array(text.utf8)) }

  @Test(arguments: [
    "50", "2", encoded("50"), encoded("4711"), "offset=50", "page:2", #"{"skip":50}"#,
    encoded(#"{"offset": 50}"#),
    encoded("page_number=2&n=1"), encoded(#"{"from":1,"pageNumber":2}"#),
  ])
  func oneThatCountsIsTold(token: String) {
    #expect(Token.counts(token, shown: 50, last: ["123456"]))
  }

  @Test(arguments: [
    "123456", encoded("123456"), "Xk93", encoded("p=2025-12-09 14:21"), encoded("from=51"),
    encoded("id>51"),
    encoded(#"{"last":"123456","page_number":2}"#), "",
  ])
  func oneThatDoesNotIsNot(token: String) {
    #expect(!Token.counts(token, shown: 50, last: ["123456"]))
  }
}
