import Foundation
import Simulator
import Support
import Testing

@testable import TsugiClient

struct QiitaTypesTests {
  private func decode<Value: Decodable>(
    _ text: String, as type: Value.Type = QiitaItem.self, snakeCase: Bool = false
  ) throws -> Value {
    let decoder = FeedClient.decoder()
    if snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
    return try decoder.decode(Value.self, from: Data(text.utf8))
  }

  private static let item = """
    {"rendered_body":"<p>a</p>","body":"a","coediting":false,"comments_count":1,
    "created_at":"2025-12-09T14:21:53+09:00","group":null,"id":"49153d4f8d1a0b1f7c7c",
    "likes_count":2,"private":false,"reactions_count":3,"stocks_count":4,
    "tags":[{"name":"Swift","versions":["6.0"]},{"name":"C#","versions":null}],
    "title":"題","updated_at":"2025-12-10T00:00:00+09:00","url":"https://qiita.com/a/items/b",
    "user":{"description":null,"facebook_id":"","followees_count":1,"followers_count":2,
    "github_login_name":null,"id":"name@github","items_count":3,"linkedin_id":null,
    "location":null,"name":"N","organization":"","permanent_id":7,
    "profile_image_url":"https://example.com/i.png","team_only":false,
    "twitter_screen_name":null,"website_url":"example.com"},"page_views_count":null,
    "team_membership":null,"organization_url_name":"org","slide":true,
    "posting_campaign_uuid":null}
    """

  @Test(arguments: [false, true])
  func readsTodaysSchema(snakeCase: Bool) throws {
    let item: QiitaItem = try decode(Self.item, snakeCase: snakeCase)
    #expect(item.id == "49153d4f8d1a0b1f7c7c")
    #expect(item.title == "題")
    #expect(item.url?.path == "/a/items/b")
    #expect((item.body, item.renderedBody) == ("a", "<p>a</p>"))
    #expect(item.createdAt?.timeIntervalSince1970 == 1_765_257_713)
    #expect(item.updatedAt?.timeIntervalSince1970 == 1_765_292_400)
    #expect((item.likesCount, item.reactionsCount) == (2, 3))
    #expect((item.stocksCount, item.commentsCount) == (4, 1))
    #expect(item.pageViewsCount == nil)
    #expect(item.isPrivate == false && item.isCoediting == false && item.isSlide == true)
    #expect(item.organizationURLName == "org")
    #expect(
      item.tags == [
        QiitaTagging(name: "Swift", versions: ["6.0"]), QiitaTagging(name: "C#"),
      ])
    let user = try #require(item.user)
    #expect((user.id, user.permanentID, user.name) == ("name@github", 7, "N"))
    #expect((user.followersCount, user.followeesCount, user.itemsCount) == (2, 1, 3))
    #expect(user.profileImageURL?.host == "example.com")
    #expect((user.websiteURL, user.description) == ("example.com", nil))
    #expect(user.isTeamOnly == false)
  }

  @Test func needsAnIdAndNothingElse() throws {
    #expect(try decode(#"{"id":"a"}"#) == QiitaItem(id: "a"))
    #expect(try decode(#"{"id":"a"}"#, as: QiitaUser.self) == QiitaUser(id: "a"))
    #expect(try decode(#"{"id":"a"}"#, as: QiitaTag.self) == QiitaTag(id: "a"))
    #expect(throws: DecodingError.self) { try decode(#"{"title":"a"}"#) }
    #expect(throws: DecodingError.self) { try decode(#"{"id":null}"#) }
  }

  @Test func doesWithoutWhatIsOfAnotherType() throws {
    let item: QiitaItem = try decode(
      #"{"id":"a","title":7,"likes_count":"2","tags":{},"user":[],"url":"","created_at":"soon"}"#)
    #expect(item == QiitaItem(id: "a"))
  }

  /// The value, written and read again.
  private func rewritten<Value: Codable>(_ value: Value) throws -> Value {
    try FeedClient.decoder().decode(Value.self, from: try JSONEncoder().encode(value))
  }

  @Test func writesWhatItReads() throws {
    var item = QiitaItem(id: "a", title: "t")
    #expect(try rewritten(item) == item)
    item.createdAt = Date(timeIntervalSince1970: 1_795_219_200)
    item.updatedAt = Date(timeIntervalSince1970: 1_795_219_200.25)
    item.url = URL(string: "https://qiita.com/a/items/b?c=%20d")
    item.tags = [QiitaTagging(name: "C#", versions: ["12", ">=3"]), QiitaTagging(name: "次")]
    item.user = QiitaUser(id: "name@github")
    item.user?.profileImageURL = URL(string: "https://a.example/次.png")
    item.user?.isTeamOnly = false
    item.isPrivate = true
    #expect(try rewritten(item) == item)
    var tag = QiitaTag(id: ".NET")
    tag.followersCount = 0
    #expect(try rewritten(tag) == tag)
  }

  @Test func readsATag() throws {
    let tag: QiitaTag = try decode(
      #"{"id":"C#","followers_count":1,"icon_url":null,"items_count":2}"#, as: QiitaTag.self)
    #expect((tag.id, tag.followersCount, tag.itemsCount, tag.iconURL) == ("C#", 1, 2, nil))
  }

  @Test(
    .enabled(if: !Checkout.recordedAnswers.isEmpty, "the recordings are not beside the project"))
  func readsEveryRecordedItem() throws {
    for file in Checkout.recordedAnswers {
      let items = try FeedClient.decoder().decode(
        [LenientElement<QiitaItem>].self, from: Data(contentsOf: file))
      let (good, bad) = LenientElement.sort(items)
      #expect(bad.isEmpty, "\(file.lastPathComponent)")
      for item in good {
        #expect(item.createdAt != nil && item.updatedAt != nil && item.user != nil)
        #expect(!item.title.isEmpty && !item.tags.isEmpty && item.url != nil)
        #expect(try rewritten(item) == item)
      }
    }
  }
}
