import Bytes
import JSONBytes
import Testing

@testable import Simulator

@Suite struct RouteTests {
  @Test func answersOneItemAsItStandsInTheList() throws {
    var qiita = Qiita.still(5)
    let list = qiita.answer("items")
    let id = try list.texts("id")[1]
    #expect(try qiita.answer("items/\(id)").body == list.elements()[1])
    qiita.world.delete(id: id)
    #expect(qiita.answer("items/\(id)").status == 404)
  }

  @Test(arguments: [
    "items/x", "items/0123456789abcdef0123", "users/nobody", "tags/none", "comments/1", "nowhere",
    "items/", "items/x/y", "users/nobody/items", "tags/none/items", "items/x/comments", "",
  ])
  func answersNotFound(target: String) {
    var qiita = Qiita.still(5)
    let answer = qiita.answer(target)
    #expect(answer.status == 404)
    #expect(answer.text == #"{"message":"Not found","type":"not_found"}"#)
  }

  @Test(arguments: ["authenticated_user", "authenticated_user/items"])
  func asksForATokenWhereTheOwnerIsMeant(target: String) {
    var qiita = Qiita.still(200)
    #expect(qiita.answer(target).status == 401)
    #expect(qiita.answer(target, token: "0123").status == 200)
  }

  @Test func showsViewsToTheOwnerOnly() throws {
    var qiita = Qiita.still(200)
    let own = try #require(
      try qiita.answer("authenticated_user/items", token: "t").elements().first)
    let views = try #require(try JSON.member("page_views_count", of: own[...]))
    #expect(try JSON.wholeNumber(own[views]) >= 10)
  }

  @Test(arguments: ["名前", "C#", "CI/CD", ".NET", "R&D", "Node.js"])
  func findsTagsThatNeedEncoding(tag: String) {
    var qiita = Qiita.still(5)
    qiita.world.tag(item: qiita.world.ids[0], with: tag)
    #expect(qiita.answer("tags/\(percentEncoded(Array(tag.utf8)))").status == 200)
    #expect(qiita.answer("tags/\(percentEncoded(Array(tag.utf8)))/items").status == 200)
  }

  @Test func listsWhatOneUserWrote() throws {
    var qiita = Qiita.still(300)
    let user = qiita.world.users[0].id
    let listed = try qiita.ids("users/\(user)/items?per_page=100")
    let known = qiita.world.ids.filter { id in
      qiita.world.presentSerial(id).map { qiita.world.records[$0].user } == 0
    }
    #expect(listed == known)
    #expect(!listed.isEmpty)
  }

  @Test func putsTheLatestTaggedOnTop() throws {
    var qiita = Qiita.still(300)
    let before = try qiita.ids("tags/Python/items?per_page=100")
    #expect(before != qiita.world.ids.filter { before.contains($0) })
    let deep = before[50]
    qiita.world.tag(item: deep, with: "Python")
    #expect(
      try qiita.ids("tags/Python/items?per_page=100") == [deep] + before.filter { $0 != deep })
    qiita.world.untag(item: deep, from: "Python")
    #expect(try qiita.ids("tags/Python/items?per_page=100") == before.filter { $0 != deep })
    #expect(qiita.answer("items/\(deep)").status == 200)
  }

  @Test func putsTheLatestStockedOnTop() throws {
    var qiita = Qiita.still(300)
    let user = qiita.world.users[0].id
    let before = try qiita.ids("users/\(user)/stocks?per_page=100")
    let again = try #require(before.last)
    qiita.world.stock(item: again, by: user)
    #expect(try qiita.ids("users/\(user)/stocks?per_page=100") == [again] + before.dropLast())
    #expect(try qiita.ids("items/\(again)/stockers").first == user)
    qiita.world.delete(id: again)
    #expect(try qiita.ids("users/\(user)/stocks?per_page=100") == before.dropLast())
  }

  @Test func movesObservedListsByDrift() throws {
    var qiita = Qiita.still(300)
    let before = try qiita.ids("tags/Python/items?per_page=100")
    qiita.options.drift = Drift(moveRate: 1)
    let after = try qiita.ids("tags/Python/items?per_page=100")
    #expect(after != before)
    #expect(Set(after) == Set(before))
  }

  @Test(arguments: ["users", "tags", "tags?sort=name", "tags?sort=count", "users?page=2"])
  func listsEachElementOnce(target: String) throws {
    var qiita = Qiita.still(300)
    let ids = try qiita.ids(target)
    #expect(!ids.isEmpty)
    #expect(Set(ids).count == ids.count)
  }

  @Test(arguments: ["followers", "followees", "following_tags"])
  func listsWhomAUserFollows(list: String) throws {
    var qiita = Qiita.still(300)
    let user = qiita.world.users[9].id
    let ids = try qiita.ids("users/\(user)/\(list)?per_page=100")
    #expect(Set(ids).count == ids.count)
    #expect(!ids.isEmpty)
  }

  @Test func answersCommentsAndLikesWhole() throws {
    var qiita = Qiita.still(300)
    let serial = try #require(qiita.world.records.firstIndex { $0.comments > 1 && $0.likes > 1 })
    let id = qiita.world.records[serial].id.text
    let comments = try qiita.ids("items/\(id)/comments?per_page=1")
    #expect(comments.count == qiita.world.records[serial].comments)
    #expect(qiita.answer("comments/\(comments[0])").status == 200)
    let likes = try qiita.answer("items/\(id)/likes?page=101").elements()
    let users = try likes.compactMap {
      try JSON.member(at: ["user", "id"], of: $0[...]).map(\.count)
    }
    #expect(likes.count == qiita.world.records[serial].likes)
    #expect(users.count == likes.count)
  }

  @Test(arguments: [
    ("tag:Swift", 1), ("-tag:Swift", 2), ("user:sakura0", 1), ("created:>=2025-12-10", 1),
    ("created:<2025-12-10", 2), ("created:2025-12", 3), ("created:2025-12-09 tag:Swift", 0),
    ("created:>=2025-12-10T00:00", 0), ("created:nonsense", 0), ("改訂1", 1), (#""改訂1""#, 1),
    ("nosuchword", 0), ("unknown:Swift", 0), ("", 3),
  ])
  func findsBySimpleQueries(query: String, count: Int) throws {
    var world = World(WorldOptions(itemCount: 2, bodyBytes: 0))
    let new = world.insert(at: CivilTime.seconds("2025-12-10T00:00:00+09:00"))
    for id in world.ids {
      let serial = try #require(world.presentSerial(id))
      world.tagsBySerial[serial] = [id == new ? 9 : 0]
      world.records[serial] = World.Record(
        id: world.records[serial].id, createdAt: world.records[serial].createdAt, updatedAt: 0,
        user: id == new ? 0 : 1, version: id == new ? 1 : 0, likes: 0, comments: 0, bornStep: 0)
    }
    var qiita = Qiita(world)
    #expect(try qiita.ids("items?query=\(percentEncoded(Array(query.utf8)))").count == count)
  }

  @Test func answersNotModifiedToTheSameBody() throws {
    var qiita = Qiita.still(5)
    let etag = try #require(qiita.answer("items").field("etag"))
    #expect(etag.hasPrefix("W/\""))
    let call = Call("/api/v2/items", ifNoneMatch: etag)
    let same = qiita.answer(call, nowSeconds: noon)
    #expect(same.status == 304)
    #expect(same.body.isEmpty)
    #expect(same.field("rate-remaining") == "58")
    qiita.world.count(id: qiita.world.ids[4])
    #expect(qiita.answer(call, nowSeconds: noon).status == 200)
  }

  @Test func datesTheAnswerByTheGivenSecond() {
    var qiita = Qiita.still(1)
    #expect(qiita.answer("items").field("date") == "Tue, 09 Dec 2025 06:30:00 GMT")
  }
}
