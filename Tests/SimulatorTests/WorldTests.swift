import JSONBytes
import Testing

@testable import Simulator

@Suite struct WorldTests {
  @Test func isTheSameForTheSameSeed() {
    func history(_ seed: UInt64) -> ([String], [Event], [UInt8]) {
      var qiita = Qiita(
        World(WorldOptions(seed: seed, itemCount: 100, tieProbability: 0.5, shufflesTies: true)),
        options: .init(
          drift: Drift([.insert: 1.5, .delete: 0.7, .late: 0.5, .touch: 1, .count: 1])))
      var bytes: [UInt8] = []
      for page in 1...8 { bytes += qiita.answer("items?page=\(page)&per_page=10").body }
      return (qiita.world.ids, qiita.world.events, bytes)
    }
    #expect(history(1) == history(1))
    #expect(history(1) != history(2))
  }

  @Test func hasAboutAsManyTiesAsAskedFor() {
    func ties(_ probability: Double) -> Int {
      let world = World(WorldOptions(itemCount: 1_000, tieProbability: probability))
      let seconds = world.ids.compactMap { world.createdAtSeconds(of: $0) }
      #expect(seconds == seconds.sorted(by: >))
      return zip(seconds, seconds.dropFirst()).count { $0 == $1 }
    }
    #expect(ties(0) == 0)
    #expect(850...950 ~= ties(0.9))
    #expect(ties(1) == 999)
  }

  @Test func ordersOneSecondByIdDescending() {
    let ids = World(WorldOptions(itemCount: 50, tieProbability: 1)).ids
    #expect(ids == ids.sorted(by: >))
  }

  @Test func shufflesOneSecondInEveryAnswerWhenAsked() throws {
    var qiita = Qiita.still(40, ties: 1, shuffles: true)
    let first = try qiita.ids("items?per_page=40")
    let second = try qiita.ids("items?per_page=40")
    #expect(first != second)
    #expect(Set(first) == Set(second))
    #expect(Set(first).count == 40)
  }

  @Test func shufflesOnlyWithinASecond() throws {
    var qiita = Qiita.still(300, ties: 0.7, shuffles: true)
    let world = qiita.world
    for page in 1...10 {
      let shown = try qiita.ids("items?per_page=30&page=\(page)")
      let true30 = world.ids[(page - 1) * 30..<page * 30]
      #expect(
        shown.map { world.createdAtSeconds(of: $0) }
          == true30.map { world.createdAtSeconds(of: $0) })
      #expect(Set(shown).count == 30)
    }
  }

  @Test func remembersWhenEachItemWasThere() {
    var world = World(WorldOptions(itemCount: 3, bodyBytes: 0))
    let old = world.ids[1]
    let new = world.insert(at: noon)
    #expect(world.delete(id: old) == true)
    let late = world.insertLate(createdAt: noon - 1)
    #expect(world.delete(id: old) == false)

    #expect(world.presence(of: old) == World.Presence(bornStep: 0, goneStep: 2))
    #expect(world.presence(of: new) == World.Presence(bornStep: 1, goneStep: nil))
    #expect(world.presence(of: late) == World.Presence(bornStep: 3, goneStep: nil))
    #expect(world.ids.prefix(2) == [new, late])
    #expect(world.idsPresent(from: 0, through: 1).contains(old))
    #expect(!world.idsPresent(from: 0, through: 2).contains(old))
    #expect(world.idsPresent(from: 1, through: 3) == world.ids.filter { $0 != late })
    #expect(world.events.map(\.kind) == [.insert, .delete, .late])
  }

  @Test func neverInsertsBelowThePresentTop() {
    var world = World(WorldOptions(itemCount: 3, topSeconds: noon))
    let top = world.ids[0]
    let new = world.insert(at: noon - 500)
    #expect(world.createdAtSeconds(of: new) == noon)
    #expect(Set(world.ids.prefix(2)) == [top, new])
  }

  @Test func editsTheTextAndItsDateButNotThePlace() throws {
    var qiita = Qiita.still(5)
    let before = qiita.answer("items")
    let id = try before.texts("id")[2]
    qiita.world.advance(to: noon + 10)
    #expect(qiita.world.touch(id: id) == true)
    let after = qiita.answer("items")
    #expect(try after.texts("id") == before.texts("id"))
    #expect(try after.texts("created_at") == before.texts("created_at"))
    #expect(try after.texts("updated_at")[2] != before.texts("updated_at")[2])
    #expect(try after.texts("title")[2] != before.texts("title")[2])
    #expect(try after.elements()[3] == before.elements()[3])
  }

  @Test func changesCountsWithoutTheDate() throws {
    var qiita = Qiita.still(5)
    let before = qiita.answer("items")
    #expect(qiita.world.count(id: try before.texts("id")[2]) == true)
    let after = qiita.answer("items")
    #expect(try after.texts("updated_at") == before.texts("updated_at"))
    #expect(try after.elements()[2] != before.elements()[2])
  }

  @Test(arguments: UInt64(1)...20)
  func keepsItsOrderWhateverHappens(seed: UInt64) {
    var world = World(WorldOptions(seed: seed, itemCount: 30, tieProbability: 0.5))
    for step in 0..<200 {
      let before = world.step
      world.advance(to: noon + Int64(step / 3))
      world.drift(Event.Kind.allCases[step % 5])
      #expect(world.step == before + 1)
    }
    let keys = world.ids.compactMap { id in HexID(id).map { (world.createdAtSeconds(of: id), $0) } }
    for (upper, lower) in zip(keys, keys.dropFirst()) {
      #expect((upper.0 ?? 0, upper.1) > (lower.0 ?? 0, lower.1))
    }
    #expect(world.ids == world.idsPresent(from: world.step, through: world.step))
    #expect(world.itemCount == 30 + 40 - 40 + 40)
  }

  @Test func breaksAWalkByPageNumbers() throws {
    func walk(_ drift: Drift) throws -> (doubled: Int, lost: Int) {
      var qiita = Qiita.still(400)
      qiita.options.drift = drift
      var seen: [String] = []
      for page in 1...20 { seen += try qiita.ids("items?page=\(page)") }
      let present = qiita.world.idsPresent(from: 0, through: qiita.world.step)
      let reachable = present.prefix(300)
      return (seen.count - Set(seen).count, reachable.count { !seen.contains($0) })
    }
    #expect(try walk(Drift()) == (0, 0))
    #expect(try walk(Drift([.insert: 1])).doubled > 0)
    #expect(try walk(Drift([.delete: 1])).lost > 0)
  }

  @Test func driftsByTheRateForEachAnswer() {
    var qiita = Qiita.still(100)
    qiita.options.drift = Drift([.insert: 2, .delete: 0.25])
    for _ in 0..<8 { _ = qiita.answer("items") }
    #expect(qiita.world.events.count { $0.kind == .insert } == 16)
    #expect(qiita.world.events.count { $0.kind == .delete } == 2)
    _ = qiita.answer("items?page=0")
    _ = qiita.answer("users/\(qiita.world.users[0].id)")
    #expect(qiita.world.step == 18)
  }

  @Test(arguments: [
    ("insert=1,delete=0.5,late=0", true), ("move=1000", true), ("", true), ("insert=1001", false),
    ("insert=-1", false), ("insert", false), ("inserts=1", false), ("insert=x", false),
    ("insert=1=2", false),
  ])
  func readsDriftFromText(text: String, isGood: Bool) {
    #expect((Drift(parsing: text) != nil) == isGood)
  }

  @Test func writesItemsAsQiitaDoes() throws {
    var qiita = Qiita(World(WorldOptions(itemCount: 60)))
    let answer = qiita.answer("items?per_page=60")
    #expect(900_000..<2_400_000 ~= answer.body.count)
    #expect(!answer.body.contains(UInt8(ascii: "<")))
    #expect(answer.text.contains("🙂") && answer.text.contains(#"\u003cp "#))
    for item in try answer.elements() { try JSON.validate(item[...]) }
    let keys = [
      "rendered_body", "body", "coediting", "comments_count", "created_at", "group", "id",
      "likes_count", "private", "reactions_count", "stocks_count", "tags", "title", "updated_at",
      "url", "user", "page_views_count", "team_membership", "organization_url_name", "slide",
    ]
    let item = try answer.elements()[0]
    let places = try JSON.members(keys, of: item[...]).map { $0?.lowerBound }
    #expect(!places.contains(nil))
    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
  }

  @Test func hasItemsOverAHundredKilobytesNowAndThen() throws {
    var qiita = Qiita(World(WorldOptions(itemCount: 200)))
    let sizes = try (1...2).flatMap {
      try qiita.answer("items?per_page=100&page=\($0)").elements().map(\.count)
    }
    #expect(1...20 ~= sizes.count { $0 > 100_000 })
    #expect(sizes.allSatisfy { $0 < 130_000 })
  }
}
