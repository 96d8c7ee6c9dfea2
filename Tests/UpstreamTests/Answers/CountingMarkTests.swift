import Bytes
import Testing

@testable import Upstream

/// Tokens and URLs that count what was shown, and such that name the last element.
@Suite struct CountingMarkTests {
  private static func encoded(_ text: String) -> String { Base64URL.padded(Array(text.utf8)) }

  @Test(arguments: [
    ("50", "50"), ("2", "2"), ("51", "51"), (encoded("50"), "50"), ("offset=50", "offset=50"),
    ("page:2", "page=2"), (#"{"skip":50}"#, "skip=50"), ("nextOffset=57", "nextOffset=57"),
    (encoded(#"{"offset": 50}"#), "offset=50"), (encoded("page_number=2&n=1"), "page_number=2"),
    (encoded(#"{"from":1,"pageNumber":2}"#), "from=1"), ("startIndex=51", "startIndex=51"),
    ("https://a.example/items?limit=50&offset=50", "offset=50"),
    ("/items?page%5Bnumber%5D=2&page%5Bsize%5D=50", "number=2"), ("/items?per_page=50&p=2", "p=2"),
    ("/items?size=50&page_token=\(encoded("50"))", "50"),
    ("state:finished,count:50,start:50", "start=50"), ("CDIQAA", "50"), ("/items?at=CDIQAA", "50"),
    ("/items?n=5&cursor=\(encoded(#"{"offset":50}"#).replacing("=", with: "%3D"))", "offset=50"),
  ])
  func oneThatCountsIsFound(mark: String, count: String) {
    #expect(CountingMark.found(in: mark, after: 50, last: ["123456", "7", "finished"]) == count)
  }

  @Test(arguments: [
    "123456", encoded("123456"), "7", "Xk93", encoded("p=2025-12-09 14:21"), encoded("from=7"),
    encoded("id>51"), encoded(#"{"last":"123456","page_number":2}"#), "", "4711",
    encoded("4711"), "/items?limit=50&after=abc", "/items?per_page=50&max_id=123455",
    "/items?page%5Bsize%5D=50&page%5Bafter%5D=abc", "/items?size=50&since=2025-11-02",
    "/items?page=2&below=123456", "\u{FFFD}\u{0}", "%", "CGQQAA", "CDIQ", "CDKA", "GDIS", "AAAA",
  ])
  func oneThatDoesNotIsNot(mark: String) {
    #expect(CountingMark.found(in: mark, after: 50, last: ["123456", "7"]) == nil)
  }
}
