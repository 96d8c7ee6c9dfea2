import JSONBytes
import Testing

@testable import Simulator

/// Each face shows the same list, cut in its own way.
@Suite struct FaceTests {
  /// What one answer says.
  private struct Shown {
    var ids: [String]
    var dates: [String]
    var total: Int?
    var next: String?
  }

  private static func qiita(_ face: Face, items: Int = 230, drift: Drift = Drift()) -> Qiita {
    let options = WorldOptions(itemCount: items, tieProbability: 0.3, bodyBytes: 10)
    return Qiita(World(options), options: .init(drift: drift, budget: 1_000_000, face: face))
  }

  private static func ask(_ qiita: inout Qiita, _ query: String) throws -> Shown? {
    let answer = qiita.answer(Call("/items?\(query)"), nowSeconds: noon)
    guard answer.status == 200 else { return nil }
    let body = answer.body
    let text = { (name: String, object: ArraySlice<UInt8>) in
      try JSON.member(name, of: object).map { String(decoding: object[$0], as: UTF8.self) }
    }
    let items = try #require(try JSON.member("items", of: body[...]))
    let elements = try JSON.elements(of: body[items]).map { body[$0] }
    let unquoted = { (text: String?) in text.map { $0.filter { $0 != "\"" } } ?? "" }
    let next = unquoted(try text("next", body[...]))
    return Shown(
      ids: try elements.map { unquoted(try text("id", $0)) },
      dates: try elements.map { unquoted(try text("created_at", $0)) },
      total: try text("total", body[...]).flatMap { Int($0) },
      next: next.isEmpty || next == "null" ? nil : next)
  }

  /// What follows `shown`, the page number `page`, which began at a rank.
  private static func query(
    after shown: Shown, _ face: Face.Addressing, page: Int, rank: Int
  ) -> String {
    switch face {
    case .page: "page=\(page + 1)"
    case .offset: "offset=\(rank + shown.ids.count)"
    case .item: "after=\(shown.ids.last ?? "")"
    case .time: "before=\(shown.dates.last?.replacing("+", with: "%2B") ?? "")"
    case .next: "token=\(shown.next ?? "none")"
    }
  }

  @Test(arguments: Face.Addressing.allCases, [1, 7, 20, 100])
  func pagesLaidSideBySideAreTheList(_ addressing: Face.Addressing, size: Int) throws {
    var qiita = Self.qiita(Face(addressing))
    var ids: [String] = []
    var query = ""
    for page in 1...300 {
      let shown = try #require(try Self.ask(&qiita, "\(query)&size=\(size)"))
      guard !shown.ids.isEmpty else { break }
      #expect(shown.total == 230)
      query = Self.query(after: shown, addressing, page: page, rank: ids.count)
      ids += shown.ids
      if addressing == .next, shown.next == nil { break }
    }
    let all = qiita.world.ids
    if addressing == .time {
      // Below an instant: what shares it with the last of a page is passed over.
      #expect(all.filter(Set(ids).contains) == ids)
    } else {
      #expect(ids == all)
    }
  }

  @Test(arguments: Face.Addressing.allCases)
  func allPagesHaveOneSizeWhereTheFaceSaysSo(_ addressing: Face.Addressing) throws {
    var face = Face(addressing)
    face.pageSize = 30
    var qiita = Self.qiita(face)
    #expect(try Self.ask(&qiita, "size=7")?.ids.count == 30)
  }

  @Test func aTotalLagsByOneAnswerOrIsNotTold() throws {
    var face = Face(.offset)
    face.total = .lagging
    var qiita = Self.qiita(face, drift: try #require(Drift(parsing: "insert=1")))
    #expect(try (1...3).map { _ in try Self.ask(&qiita, "")?.total } == [230, 231, 232])
    #expect(qiita.world.itemCount == 233)
    qiita.options.face?.total = Face.Total.none
    #expect(try Self.ask(&qiita, "")?.total == nil)
  }

  @Test func nothingIsShownBeyondTheCap() throws {
    for addressing in Face.Addressing.allCases {
      var face = Face(addressing)
      face.cap = 50
      var qiita = Self.qiita(face)
      let ids = qiita.world.ids
      let place: String? =
        switch addressing {
        case .page: "page=3&size=20"
        case .offset: "offset=40&size=20"
        case .item: "after=\(ids[39])&size=20"
        case .next: "token=\(qiita.world.token(below: qiita.world.serial(ids[39])))&size=20"
        case .time: nil
        }
      guard let place else { continue }
      let shown = try #require(try Self.ask(&qiita, place))
      #expect(shown.ids == Array(ids[40..<50]), "\(addressing)")
      #expect(shown.next == nil)
    }
    var face = Face(.page)
    face.cap = 50
    var qiita = Self.qiita(face)
    #expect(try Self.ask(&qiita, "page=4&size=20") == nil)
  }

  @Test func aPlaceThatIsNoneIsRefused() throws {
    let wrong: [(Face.Addressing, String)] = [
      (.page, "page=0"), (.page, "page=x"), (.page, "page=9223372036854775807&size=100"),
      (.offset, "offset=-1"), (.item, "after=gone"), (.time, "before=yesterday"),
      (.next, "token=!"), (.page, "size=0"),
    ]
    for (addressing, query) in wrong {
      var qiita = Self.qiita(Face(addressing))
      #expect(try Self.ask(&qiita, query) == nil, "\(addressing) \(query)")
    }
  }

  @Test func aTokenOutlivesTheItemItWasToldBelow() throws {
    var qiita = Self.qiita(Face(.next))
    let first = try #require(try Self.ask(&qiita, "size=10"))
    let below = qiita.world.ids[10]
    qiita.world.delete(id: first.ids[9])
    let second = try #require(try Self.ask(&qiita, "size=10&token=\(first.next ?? "")"))
    #expect(second.ids.first == below)
    // An identity that is named has to be there.
    qiita.options.face = Face(.item)
    #expect(try Self.ask(&qiita, "after=\(first.ids[9])") == nil)
  }
}

extension World {
  fileprivate func serial(_ id: String) -> Int { presentSerial(id) ?? -1 }
}
