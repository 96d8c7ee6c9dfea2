import Freshness
internal import JSONBytes
internal import Upstream

/// One call, besides what the address always asks for. A rule that needs its answer throws it.
struct NextCall: Error, Hashable, Sendable {
  var parameters: [Parameter] = []
  /// The whole URL, where an answer named it.
  var url: String?
  var headerLines: [String] = []
  /// How many times the same was asked with it.
  var round = 1

  /// A call with these parameters.
  init(_ parameters: Parameter?...) {
    self.parameters = parameters.compactMap(\.self)
  }

  /// A call of a whole URL.
  init(url: String) {
    self.url = url
  }

  /// Whether a parameter of this name was asked with.
  func gives(_ name: String) -> Bool { parameters.contains { $0.name == name } }

  /// What was asked, for people: `limit=5`.
  var text: String {
    let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    return url != nil ? "the URL that an answer named" : query.isEmpty ? "no parameter" : query
  }
}

/// What came.
struct Answer {
  let ask: NextCall
  /// 0 where nothing came.
  let status: Int
  let fields: FieldList
  /// Nil where it is no JSON.
  let body: JSONTree?
  let elements: [JSONTree]
  let ids: [String]

  init(_ ask: NextCall, _ reply: Reply?, _ shape: ListShape?) {
    self.ask = ask
    status = reply?.status ?? 0
    fields = reply?.fields ?? FieldList()
    do throws(JSONError) {
      body = try reply.map { reply throws(JSONError) in try JSONTree(json: reply.body) }
    } catch {
      body = nil
    }
    let isPage = status == 200 || status == 206
    elements = isPage ? body.flatMap { shape?.elements(in: $0) } ?? [] : []
    ids = elements.compactMap { shape?.id(of: $0) }
  }

  /// Whether it says that the request is at fault.
  var isRefusal: Bool { (400..<500).contains(status) }

  /// The words of an error, as names of parameters are written.
  var words: Set<String> {
    let words = (body?.texts ?? []).flatMap { text in
      text.split { !$0.isLetter && !$0.isNumber && !"_-$[]".contains($0) }
    }.map { word in
      // In brackets by itself, and not the end of `page[size]`.
      let inner = word.drop { $0 == "[" }
      return String(inner.contains("[") ? inner : inner.prefix { $0 != "]" })
    }
    return Set(words)
  }

  /// Whether it refuses many names and says which it does not know.
  var listsUnknown: Bool {
    guard isRefusal, ask.parameters.count > 3 else { return false }
    let words = words
    return ask.parameters.count { words.contains($0.name) } * 2 >= ask.parameters.count
  }

  /// Whether it is so many of the first elements of another answer, but for what came meanwhile.
  func isTop(of other: Answer, count: Int) -> Bool {
    guard count > 0, elements.count == count, ids.count == count else { return false }
    return Set(ids).intersection(other.ids).count * 2 >= min(count, other.ids.count)
  }

  /// At which rank of another answer it begins; nil where its first elements, three at the most,
  /// do not stand there in their order, but for one that came or went meanwhile.
  func rank(in other: Answer) -> Int? {
    let ranks = ids.prefix(3).compactMap(other.ids.firstIndex)
    guard let first = ranks.first, let last = ranks.last, ranks == ranks.sorted() else {
      return nil
    }
    let few = min(ids.count, 3, other.ids.count - first)
    return ranks.count >= few - 1 && last - first <= few ? first : nil
  }

  /// Whether it shows elements that another answer does not, as a page that follows does.
  func goesOn(from other: Answer) -> Bool {
    !ids.isEmpty && Set(ids).intersection(other.ids).count * 2 <= ids.count
  }
}

/// All that was asked and answered. Rules read it, and throw the next ``NextCall``.
struct Transcript {
  let address: ListAddress
  let shape: ListShape
  /// What the URL of the second page asks for, where that was given.
  var second: [Parameter] = []
  /// The parameter that says how many come, once it is known.
  var sizeName: String?
  private(set) var answers: [Answer]
  /// Whether no further call may be made.
  var isClosed = false

  /// What the first answer shows.
  init(_ address: ListAddress, _ shape: ListShape, first: Answer) {
    (self.address, self.shape) = (address, shape)
    answers = [first]
  }

  /// By how many ranks a list may have moved from one call to the next.
  static let driftMax = 4

  /// The answer to the plain URL.
  var first: Answer { answers[0] }

  /// The answer from the top whose signs are read: the first that says that more follows. A short
  /// list says so only where few elements were asked for. Some answer otherwise once a size is
  /// asked for, as the recipe does: such answers come first.
  var telling: Answer {
    let tops = answers.filter { $0.rank(in: first).map { $0 <= Transcript.driftMax } == true }
    let sized = sizeName.map { name in tops.filter { $0.ask.gives(name) } } ?? []
    return (sized + [first] + tops).first { Signs.hasMore($0, in: address) } ?? first
  }

  /// What a list is most likely ordered by, of which an answer is a page.
  func order(of answer: Answer) -> FallingKey? {
    FallingKey.likeliest(of: answer.elements, id: shape.id, sorted: address.sortWords)
  }

  /// What the URL of the second page asks for and the first one did not, and is not called as a
  /// size where there is more: what says where it begins.
  var place: [Parameter] {
    let added = second.filter { !address.paging.contains($0) }
    let others = added.filter { !Names.isSize($0.name) }
    return others.isEmpty ? added : others
  }

  /// Whether something shows that elements follow those of the first answer: then it is as long as
  /// a page is.
  var isFirstFull: Bool {
    Signs.hasMore(first, in: address)
      || answers.contains { answer in
        let others = Set(answer.ids).subtracting(first.ids).count
        let isAsLong = answer.ids.count == first.ids.count && answer.rank(in: first) ?? 0 > 0
        return others > Transcript.driftMax || isAsLong || answer.goesOn(from: first)
      }
  }

  /// Keeps an answer.
  mutating func note(_ answer: Answer) { answers.append(answer) }

  /// The answer to a call; nil where no call is left, or nothing came.
  ///
  /// - Throws: the call, where it was not made yet.
  func answer(to ask: NextCall) throws(NextCall) -> Answer? {
    if let known = answers.first(where: { $0.ask == ask }) { return known.status > 0 ? known : nil }
    guard !isClosed else { return nil }
    throw ask
  }

  /// The answer to a call that has many names, each with another value: what comes shows which of
  /// them was heard. Nil where such calls prove nothing.
  func answer(toMany ask: NextCall) throws(NextCall) -> Answer? {
    guard !isPicky || answers.contains(where: { $0.ask == ask }) else { return nil }
    return try answer(to: ask)
  }

  /// Asks for many names where what is refused is named: those that are not are known.
  func readRefusal(of names: [String]) throws(NextCall) {
    guard answers.contains(where: \.listsUnknown) else { return }
    var ask = NextCall()
    ask.parameters = names.map { Parameter($0, "1") }
    _ = try answer(to: ask)
  }

  /// Asks for what describes the API, which may show names: few have it there.
  func readDocument() throws(NextCall) {
    guard let url = address.text(ofPath: "/openapi.json") else { return }
    _ = try answer(to: NextCall(url: url))
  }

  /// Whether the API refuses what it does not know, or takes it for a filter: many names in one
  /// call prove nothing there.
  ///
  /// The first of such calls says so. A later one may be refused for what a known name was given.
  var isPicky: Bool { ofMany?.elements.isEmpty ?? false }

  /// Whether it takes them for filters: what it means itself has a mark then, as `_limit` has.
  var filters: Bool { isPicky && ofMany?.status == 200 }

  /// The first answer to many names in one call.
  private var ofMany: Answer? { answers.first { $0.ask.parameters.count > 3 } }
}

extension JSONTree {
  /// All texts of it, however deep.
  fileprivate var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .array(let elements): elements.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    case .null, .bool, .number: []
    }
  }
}
