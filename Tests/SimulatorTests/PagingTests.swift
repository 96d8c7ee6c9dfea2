import Testing

@testable import Simulator

@Suite struct PagingTests {
  @Test(arguments: [
    ("items", 20), ("items?page=1", 20), ("items?page=3&per_page=100", 50), ("items?page=100", 0),
    ("items?per_page=1", 1), ("items?per_page=100", 100), ("items?page=13", 10),
    ("items?page=100&per_page=100", 0), ("items?page=0x&page=2", 20), ("items?unknown=1", 20),
  ])
  func answersEveryPageWithinTheLimits(target: String, count: Int) throws {
    var qiita = Qiita.still(250)
    let answer = qiita.answer(target)
    #expect(answer.status == 200)
    #expect(answer.field("total-count") == "250")
    #expect(try answer.elements().count == count)
  }

  @Test(arguments: [
    "page=0", "page=101", "page=x", "page=", "page=-1", "page=1.5", "page=99999999999999999999",
    "per_page=0", "per_page=101", "per_page=x", "per_page=", "per_page=%31%30x",
  ])
  func refusesEveryPageOutsideOfThem(parameter: String) {
    var qiita = Qiita.still(250)
    let answer = qiita.answer("items?\(parameter)")
    #expect(answer.status == 400)
    #expect(answer.text == #"{"message":"Bad request","type":"bad_request"}"#)
    #expect(answer.field("rate-remaining") == "59")
  }

  @Test(arguments: [
    ("items", 45, "first 1, next 2, last 3"),
    ("items?page=2", 45, "first 1, prev 1, next 3, last 3"),
    ("items?page=3", 45, "first 1, prev 2, last 3"),
    ("items?page=9", 45, "first 1, prev 8, last 3"),
    ("items?per_page=1&page=100", 250, "first 1, prev 99, next 101, last 250"),
    ("items", 0, "first 1, last 1"),
    ("items", 20, "first 1, last 1"),
    ("items", 21, "first 1, next 2, last 2"),
  ])
  func linksWhereThereIsAPage(target: String, total: Int, expected: String) throws {
    var qiita = Qiita.still(total)
    let link = try #require(qiita.answer(target).field("link"))
    let found = link.split(separator: ", ").map { part in
      let page = part.split(separator: "page=").last?.prefix { $0.isNumber } ?? ""
      let relation = part.split(separator: "\"").last ?? ""
      return "\(relation) \(page)"
    }
    #expect(found.joined(separator: ", ") == expected)
  }

  @Test(arguments: [
    ("items", "https://qiita.com/api/v2/items?page=2"),
    ("items?per_page=20", "https://qiita.com/api/v2/items?page=2&per_page=20"),
    (
      "items?query=tag%3ASwift+x&page=1&a=%26",
      "https://qiita.com/api/v2/items?query=tag%3ASwift%20x&page=1&a=%26"
    ),
  ])
  func repeatsTheCallersParametersInLinks(target: String, url: String) throws {
    var qiita = Qiita.still(45)
    let link = try #require(qiita.answer(target).field("link"))
    #expect(link.contains("<\(url)>"))
  }

  @Test func givesEveryItemOnceWhileNothingMoves() throws {
    var qiita = Qiita.still(250, ties: 0.9)
    var ids: [String] = []
    for page in 1...9 { ids += try qiita.ids("items?per_page=30&page=\(page)") }
    #expect(ids == qiita.world.ids)
    #expect(Set(ids).count == 250)
  }
}
