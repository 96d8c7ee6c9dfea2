import Freshness
import JSONBytes
import Testing

@testable import Probe
@testable import Upstream

/// What single answers show, and what is asked next: no call is made here.
@Suite struct EvidenceTests {
  private func elements(_ count: Int) -> String {
    (0..<count).map { #"{"id":"item-\#(900 - $0)","n":\#($0)}"# }.joined(separator: ",")
  }

  private func answer(
    _ ask: NextCall = NextCall(), _ body: String, _ lines: [String] = [], _ shape: ListShape? = nil
  ) throws -> Probe.Answer {
    var fields = FieldList()
    for line in lines { fields.append(line: Array(line.utf8)) }
    let shape = try shape ?? ListShape(JSONTree(json: Array(body.utf8)), word: "items")
    return Probe.Answer(ask, Reply(status: 200, fields: fields, body: Array(body.utf8)), shape)
  }

  private func evidence(_ body: String, _ lines: [String] = []) throws -> Transcript {
    let address = try #require(ListAddress("https://a.example/items"))
    let shape = try #require(try ListShape(JSONTree(json: Array(body.utf8)), word: "items"))
    return Transcript(address, shape, first: try answer(NextCall(), body, lines))
  }

  // MARK: - What follows

  @Test(arguments: [
    (#""next":"?page=2""#, "", "next"),
    (#""paging":{"nextCursor":"abc"}"#, "", "paging.nextCursor"),
    (#""continue":{"at":"abc"}"#, "", "continue.at"),
    (#""bookmark":"x.item-864.y""#, "", "bookmark"),
    ("", "Link: </items?page=2>; rel=\"next\"", "link:next"),
    ("", "Next-Page: https://a.example/items?t=1", "header:Next-Page"),
    ("", "X-More: /items?t=1", "header:X-More"),
  ])
  func aSignOfTheNextPageIsSeen(member: String, line: String, place: String) throws {
    let rest = member.isEmpty ? "" : ",\(member)"
    let evidence = try evidence("{\"items\":[\(elements(37))]\(rest)}", [line])
    #expect(Signs.nexts(of: evidence.first, in: evidence.address).map(\.place) == [place])
  }

  @Test(arguments: [
    #""next":null"#, #""next":"""#, #""next_page":0"#, #""previous":"?page=1""#,
    #""first":"x.item-864.y""#, #""self":"/items?x=1""#, #""has_next":true"#,
  ])
  func whatIsNoSignOfTheNextPageIsNone(member: String) throws {
    let evidence = try evidence("{\"items\":[\(elements(37))],\(member)}")
    #expect(Signs.nexts(of: evidence.first, in: evidence.address).isEmpty)
  }

  // MARK: - Whole or not

  /// What is said of a list of which the plain URL, asked twice, shows this.
  private func verdict(
    _ count: Int, _ first: String = "", again: String? = nil
  ) throws -> WholeQuestion.Verdict {
    let body = { (rest: String) in "{\"items\":[\(elements(count))]\(rest)}" }
    var evidence = try evidence(body(first))
    let size = SizeQuestion.Size(name: nil, max: count, sample: evidence.first, notes: [])
    while true {
      do throws(NextCall) {
        return try WholeQuestion(evidence, size).settled()
      } catch {
        evidence.note(try answer(error, body(again ?? first), [], evidence.shape))
      }
    }
  }

  @Test(arguments: [
    (37, ""), (11, ""), (137, ""), (20, #","total":20"#), (37, #","took":"12:30""#),
  ])
  func aListIsWholeByProof(count: Int, rest: String) throws {
    guard case .whole = try verdict(count, rest) else {
      Issue.record("refused")
      return
    }
  }

  @Test func theTotalThatProvesAListWholeIsToldWithIt() throws {
    let verdict = try verdict(20, #","meta":{"total":20}"#)
    #expect(verdict == .whole("meta.total says 20, and 20 came", total: "meta.total"))
  }

  @Test(arguments: [
    (10, ""), (20, ""), (25, ""), (30, ""), (50, ""), (100, ""), (5, ""), (5, #","total":5"#),
    (12, ""), (16, ""), (48, ""), (128, ""), (256, ""), (500, ""), (1000, ""),
    (37, #","total":321"#), (37, #","numberMatched":321"#), (37, #","next":"?p=2""#),
    (37, #","has_more":true"#),
    (37, #","has_more":false"#), (37, #","next":null"#), (37, #","limit":37"#),
    (37, #","links":[{"rel":"next","href":"/x"}]"#), (37, #","mark":"item-864""#),
    (20, #","count":20"#),
  ])
  func aListThatMayBeAPageIsNoWhole(count: Int, rest: String) throws {
    guard case .page = try verdict(count, rest) else {
      Issue.record("taken for whole")
      return
    }
  }

  @Test(arguments: [#","scroll":"b4711""#, ""])
  func whatIsAnotherOrGoneWhenAskedAgainIsATokensSign(again: String) throws {
    guard case .page = try verdict(37, #","scroll":"a4711""#, again: again) else {
      Issue.record("taken for whole")
      return
    }
  }

  // MARK: - What names an element

  @Test(arguments: [
    (#""id":7,"slug":"s1""#, #""id":6,"slug":"s2""#, "", "id"),
    (#""key":"b","number":9"#, #""key":"x","number":8"#, "", "key"),
    (#""key":"b","sku":"100001""#, #""key":"x","sku":"100002""#, "", "key"),
    (
      #""guid":"g-11111","name":"n-11111""#, #""guid":"g-22222","name":"n-22222""#, "n-22222",
      "name"
    ),
  ])
  func ofSeveralTheOneInTheTokenNamesAnElement(
    first: String, last: String, token: String, name: String
  ) throws {
    let body = "{\"items\":[{\(first)},{\(last)}],\"next\":\"\(token)\"}"
    let shape = try ListShape(JSONTree(json: Array(body.utf8)), word: "items")
    #expect(shape?.id == [name])
  }

  @Test(arguments: [
    (#""post_id":7,"user_id":3"#, #""post_id":6,"user_id":2"#, ["post_id"], nil),
    (#""sys":{"id":"b"},"t":"x","n":1"#, #""sys":{"id":"c"},"t":"y","n":2"#, ["sys", "id"], nil),
    (#""kind":"t3","data":{"id":"b"}"#, #""kind":"t3","data":{"id":"c"}"#, ["data", "id"], "data"),
    (
      #""liked_at":"2026-01-02T00:00:00Z","user":{"id":"b"}"#,
      #""liked_at":"2026-01-01T00:00:00Z","user":{"id":"c"}"#, ["user", "id"], nil
    ),
    (
      #""metadata":{"id":"b"},"reason":"x""#, #""metadata":{"id":"c"},"reason":"x""#,
      ["metadata", "id"], nil
    ),
    (
      #""cursor":"q1","node":{"id":"b"}"#, #""cursor":"q2","node":{"id":"c"}"#, ["node", "id"],
      "node"
    ),
    (#""pk":"b""#, #""pk":"c""#, ["pk"], nil),
  ])
  func anElementIsNamedByItsOwnAndLosesNothing(
    first: String, last: String, id: [String], wrapped: String?
  ) throws {
    let body = try JSONTree(json: Array("[{\(first)},{\(last)}]".utf8))
    let shape = try #require(ListShape(body, word: "posts"))
    #expect(shape.id == id)
    #expect(shape.wrapped == wrapped)
  }

  /// Texts or numbers, each once, are a list where there is none of objects, and no message.
  @Test(arguments: [
    (#"["b","a b"]"#, [] as [String]?), ("[8863,9001]", []), (#"["b","b"]"#, nil), ("[1.5]", nil),
    (#"{"repositories":["a/b","c"]}"#, ["repositories"]), (#"{"posts":["a b"]}"#, ["posts"]),
    (#"{"data":{"items":["only"]}}"#, ["data", "items"]), (#"{"errors":["Unknown"]}"#, nil),
    (#"{"errors":["No such list","No key"]}"#, nil), (#"{"posts":[null,["a"]]}"#, nil),
    (#"{"tags":["a","b"],"rows":[{"id":1}]}"#, ["rows"]), (#"{"posts":["a",{"id":1}]}"#, nil),
  ])
  func namesAreAList(body: String, items: [String]?) throws {
    let shape = ListShape(try JSONTree(json: Array(body.utf8)), word: "posts")
    #expect(shape?.items == items)
    #expect(shape?.id == items.map { $0 == ["rows"] ? ["id"] : [] })
  }

  /// Where several fields could, the one that is called as an identity is, or that stands first.
  @Test(arguments: [
    (#""productId":@,"name":"Chair @""#, "productId"),
    (#""name":"Chair @","tweetId":@"#, "tweetId"),
    (#""title":"A chair","articleId":@,"text":"hi @""#, "articleId"),
    (#""orderNumber":"O@","rank":@"#, "orderNumber"), (#""code":"c@""#, "code"),
    (#""orderNo":"O@","rank":@"#, "orderNo"), (#""invoice_no":"I@","rank":@"#, "invoice_no"),
    (#""isbn":"978@","count":@"#, "isbn"), (#""email":"u@.x.org","login":"u@""#, "login"),
    (#""mention":"/a/@","text":"hi @""#, "mention"), (#""text":"hi @","count":@"#, nil),
  ])
  func ordinaryNamesOfAnIdentityAreKnown(fields: String, id: String?) throws {
    let elements = (11...16).map { "{\(fields.replacing("@", with: "\($0)"))}" }
    let body = try JSONTree(json: Array("[\(elements.joined(separator: ","))]".utf8))
    #expect(ListShape(body, word: "things")?.id == id.map { [$0] })
  }

  // MARK: - What a list is ordered by

  /// Elements of which each was made an hour before the one above it, and changed so many minutes
  /// after it was made.
  private func changed(after minutes: [Int64]) -> [JSONTree] {
    zip(0..., minutes).map { rank, minute in
      let made = 1_765_300_000 - 3_600 * Int64(rank)
      return .object([
        .init("created_at", .text(KeyForm.rfc3339.text(of: made * 1_000))),
        .init("updated_at", .text(KeyForm.rfc3339.text(of: (made + 60 * minute) * 1_000))),
      ])
    }
  }

  @Test(arguments: [
    ([0, 0, 0, 0, 0, 0], "created_at"), ([0, 300, 0, 700, 0, 0], "created_at"),
    ([5, 10, 3, 9, 2, 7], nil),
  ])
  func aListThatChangesMayOrderHasNoOrder(minutes: [Int64], name: String?) {
    let key = FallingKey.likeliest(of: changed(after: minutes), id: ["id"])
    #expect(key?.keys.first == name)
  }

  // MARK: - What is shown

  @Test func aNameThatIsHeardNearTheTopIsAskedForFurtherDown() throws {
    var evidence = try evidence("{\"items\":[\(elements(12))]}")
    let size = SizeQuestion.Size(name: "size", max: 12, sample: evidence.first, notes: [])
    let bundle = try #require(throws: NextCall.self) {
      try AnchorQuestion(.item, evidence, size).bundled(.likely)
    }
    // A list that has lost its first element shows the same to names that are not heard.
    let moved = elements(12).split(separator: "},").dropFirst().prefix(3).joined(separator: "},")
    evidence.note(try answer(bundle, "{\"items\":[\(moved)}]}", [], evidence.shape))
    let single = try #require(throws: NextCall.self) {
      try AnchorQuestion(.item, evidence, size).bundled(.likely)
    }
    #expect(single.parameters.map(\.name) == ["size", "starting_after"])
  }

  @Test func aListThatHasGrownIsNoSizeThatWasHeard() throws {
    var evidence = try evidence("{\"items\":[\(elements(12))]}")
    let bundle = try #require(throws: NextCall.self) { try SizeQuestion(evidence).settled() }
    evidence.note(try answer(bundle, "{\"items\":[\(elements(13))]}", [], evidence.shape))
    let single = try #require(throws: NextCall.self) { try SizeQuestion(evidence).settled() }
    #expect(single.parameters.map(\.value) == ["4"])
  }

  @Test func aTokenIsTriedWithMoreElementsThanAListMovesBy() throws {
    let evidence = try evidence("{\"items\":[\(elements(40))],\"next_cursor\":\"abc\"}")
    let size = SizeQuestion.Size(name: "size", max: 40, sample: evidence.first, notes: [])
    let ask = try #require(throws: NextCall.self) { try NextQuestion(evidence, size).byToken() }
    #expect(ask == NextCall(Parameter("size", "9"), Parameter("cursor", "abc")))
  }

  @Test(arguments: [(0, 12, false), (6, 12, false), (6, 18, true), (12, 24, true), (20, 32, true)])
  func aFirstPageIsFullWhereMoreIsShown(begin: Int, end: Int, isFull: Bool) throws {
    var evidence = try evidence("{\"items\":[\(elements(12))]}")
    let all = elements(40).split(separator: "},")[begin..<end].joined(separator: "},")
    let ask = NextCall(Parameter("at", "\(begin)"))
    evidence.note(try answer(ask, "{\"items\":[\(all)}]}", [], evidence.shape))
    #expect(evidence.isFirstFull == isFull)
  }
}
