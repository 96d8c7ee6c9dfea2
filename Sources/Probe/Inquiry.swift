package import Feed
internal import JSONBytes
package import Upstream

/// Looks at an API with a few calls and writes down its recipe: what no answer shows is not
/// guessed.
///
/// What says where a page begins is told by an overlap: an answer must be the elements that were
/// seen before from the expected rank on. Several names are tried in one call, each with a value of
/// its own, so that what comes tells which of them was heard.
///
/// Read next: `Inquiry+Places` (where a page begins), `Inquiry+Signs` (totals, ends, rates),
/// `ListShape` (what is read out of one answer), `Names`.
package struct Inquiry {
  /// The most calls, unless told otherwise.
  package static let callsMax = 8

  /// Why nothing can be written down.
  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first call brought no answer.
    case noAnswer(FetchError)
    /// The first call brought an error.
    case refused(status: Int)
    /// The answer is not JSON.
    case notJSON(type: String?)
    /// The answer has no array of objects that something names.
    case noList
    /// The answers tell of more, and nothing that was tried shows it.
    case noPlace

    /// What to tell.
    package var description: String {
      switch self {
      case .noAnswer(let error): "no answer: \(error.reason)"
      case .refused(let status): "the answer is \(status)"
      case .notJSON(let type): "the answer is not JSON\(type.map { ", but \($0)" } ?? "")"
      case .noList: "the answer has no array of objects with an identity"
      case .noPlace:
        "the answer tells of more elements, and no parameter that was tried shows them"
      }
    }
  }

  /// One answer that was looked at.
  struct Seen {
    let status: Int
    let reply: Reply
    /// Nil where it is no JSON.
    let body: JSONTree?
    let elements: [JSONTree]
    let ids: [String]
    let asked: [ProbedURL.Parameter]
  }

  let url: ProbedURL
  /// What was found so far.
  package internal(set) var report: Report
  private let ask: (_ url: String, _ headerLines: [String]) async throws(FetchError) -> Reply
  private let tell: (String) -> Void
  private let callsMax: Int

  private(set) var callCount = 0
  private(set) var seen: [Seen] = []
  /// What the API's lists look like; nil before the first answer.
  private(set) var shape: ListShape?
  /// The parameter that says how many elements a page has.
  var size: String?
  /// The largest answer from the top.
  var sample: Seen?
  /// The parameter that says where a page begins, where that is a number.
  var place: ProbedURL.Parameter?
  /// Whether one answer brings everything.
  var isWhole = false

  /// A probe of a list. `ask` sends a GET; `tell` is told of each call before it is sent.
  package init(
    _ url: ProbedURL, callsMax: Int = Inquiry.callsMax, hasBearer: Bool = false,
    tell: @escaping (String) -> Void = { _ in },
    ask: @escaping (_ url: String, _ headerLines: [String]) async throws(FetchError) -> Reply
  ) {
    self.url = url
    self.callsMax = callsMax
    self.tell = tell
    self.ask = ask
    report = Report(url, hasBearer: hasBearer)
  }

  /// Whether another call may be made, and `kept` after it.
  func mayAsk(keeping kept: Int = 0) -> Bool { callCount + kept < callsMax }

  /// Finds out what the configuration has to say.
  ///
  /// - Throws: why there is nothing to say. What fails later is only not told.
  package mutating func run() async throws(Failure) -> Report {
    let first = try await lookFirst()
    sample = first
    await findSize(first)
    await findMax(first)
    await findPlace(first)
    guard isWhole || report.tells("by") else { throw .noPlace }
    await findBeyond()
    await findUnchanged()
    await findReach()
    noteElements()
    noteSigns(first)
    report.callCount = callCount
    return report
  }

  private mutating func lookFirst() async throws(Failure) -> Seen {
    let reply: Reply
    do throws(FetchError) {
      reply = try await send([])
    } catch {
      throw .noAnswer(error)
    }
    guard reply.status == 200 else { throw .refused(status: reply.status) }
    guard let body = JSONTree(answer: reply.body) else {
      throw .notJSON(type: reply.fields["Content-Type"])
    }
    guard let shape = ListShape(body, word: url.feedName) else { throw .noList }
    self.shape = shape
    return note(reply, to: [])
  }

  /// Asks with these parameters; nil where no answer came, or no call is left.
  mutating func look(
    _ parameters: [ProbedURL.Parameter], headerLines: [String] = []
  ) async -> Seen? {
    guard mayAsk() else { return nil }
    do throws(FetchError) {
      return note(try await send(parameters, headerLines: headerLines), to: parameters)
    } catch {
      return nil
    }
  }

  /// Asks for a URL that an answer named.
  mutating func follow(_ text: String) async -> Seen? {
    guard mayAsk() else { return nil }
    callCount += 1
    tell("call \(callCount) of at most \(callsMax): the next page as it was named")
    do throws(FetchError) {
      return note(try await ask(text, []), to: [])
    } catch {
      return nil
    }
  }

  private mutating func send(
    _ parameters: [ProbedURL.Parameter], headerLines: [String] = []
  ) async throws(FetchError) -> Reply {
    callCount += 1
    let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    tell("call \(callCount) of at most \(callsMax): \(url.word)\(query.isEmpty ? "" : "?\(query)")")
    return try await ask(url.text(parameters), headerLines)
  }

  private mutating func note(_ reply: Reply, to asked: [ProbedURL.Parameter]) -> Seen {
    let body = JSONTree(answer: reply.body)
    let elements = body.flatMap { shape?.elements(in: $0) } ?? []
    let one = Seen(
      status: reply.status, reply: reply, body: body, elements: elements,
      ids: elements.compactMap { shape?.id(of: $0) }, asked: asked)
    seen.append(one)
    return one
  }

  // MARK: - Sizes

  /// What of the names that links carry is the number of elements that came.
  private func hintedSizes(_ first: Seen) -> [String] {
    hints(first).filter {
      $0.value == "\(first.elements.count)" && !Names.offset.contains($0.name)
    }
    .map(\.name) + url.paging.map(\.name).filter(Names.size.contains)
  }

  /// The parameters of the links in an answer, `url.paging` among them.
  func hints(_ seen: Seen) -> [ProbedURL.Parameter] {
    let links = seen.reply.fields.values(of: "Link").flatMap { value in
      ["next", "last", "first"].compactMap { LinkField.target(relation: $0, in: [value]) }
    }
    let texts =
      seen.body.map { body in
        Signs.scalars(in: body, besides: shape?.items ?? []).map(\.value)
      } ?? []
    return (links + texts.compactMap(\.scalar)).flatMap { ProbedURL.parameters(ofURL: $0) ?? [] }
      + url.paging
  }

  private mutating func findSize(_ first: Seen) async {
    let count = first.elements.count
    guard count > 1 else {
      return report.notePages("size", nil, "\(count) elements are too few to tell")
    }
    let hinted = hintedSizes(first)
    let asked = min(5, count - 1)
    if let name = hinted.first, let answer = await look([.init(name: name, value: "\(asked)")]),
      answer.isTop(of: first, count: asked)
    {
      size = name
      return report.notePages("size", .text(name), "asked for \(asked), it gave \(asked)")
    }
    let values = (2...).lazy.filter { $0 != count }
    let all = zip(Names.size, values).filter { $0.1 < max(count, 3) + 30 }
      .map { ProbedURL.Parameter(name: $0.0, value: "\($0.1)") }
    if let answer = await look(all), answer.status == 200 {
      if let found = all.first(where: { $0.value == "\(answer.elements.count)" }),
        answer.isTop(of: first, count: answer.elements.count)
      {
        size = found.name
        let names = "of \(all.count) names, each with another number"
        report.notePages(
          "size", .text(found.name), "\(names), it gave the \(found.value) of this one")
      } else {
        report.notePages("size", nil, "none of \(all.count) names changed the \(count) elements")
      }
      return
    }
    for name in Names.size.prefix(2) where mayAsk(keeping: 3) {
      if let answer = await look([.init(name: name, value: "\(asked)")]),
        answer.isTop(of: first, count: asked)
      {
        size = name
        return report.notePages("size", .text(name), "asked for \(asked), it gave \(asked)")
      }
    }
    report.notePages("size", nil, "no name that was tried changed the \(count) elements")
  }

  /// How many elements come at most: as many of a hundred as did.
  private mutating func findMax(_ first: Seen) async {
    guard let size else {
      return report.notePages(
        "max", .number("\(first.elements.count)"), "so many come, whatever is asked")
    }
    for asked in [100, 50] {
      guard let answer = await look([.init(name: size, value: "\(asked)")]) else { return }
      guard answer.status == 200 else { continue }
      let count = answer.elements.count
      if count > sample?.elements.count ?? 0 { sample = answer }
      let isAll = !hasMore(answer)
      return report.notePages(
        "max", .number("\(isAll && count < asked ? asked : max(1, count))"),
        isAll && count < asked
          ? "asked for \(asked), it gave all \(count) there are"
          : "asked for \(asked), it gave \(count)")
    }
  }
}

extension JSONTree {
  /// The tree of an answer's body; nil where it is no JSON.
  fileprivate init?(answer body: [UInt8]) {
    do throws(JSONError) {
      try self.init(json: body)
    } catch {
      return nil
    }
  }
}

extension Inquiry.Seen {
  /// Whether it is so many of the first elements of another answer, but for what came meanwhile.
  func isTop(of other: Inquiry.Seen, count: Int) -> Bool {
    guard status == 200, elements.count == count, ids.count == count else { return false }
    return Set(ids).intersection(other.ids).count * 2 >= min(count, other.ids.count)
  }

  /// At which rank of another answer it begins; nil where its first elements, three at the most,
  /// do not stand there in their order, but for one that came or went meanwhile.
  func rank(in other: Inquiry.Seen) -> Int? {
    let ranks = ids.prefix(3).compactMap(other.ids.firstIndex)
    guard let first = ranks.first, let last = ranks.last, ranks == ranks.sorted() else {
      return nil
    }
    let few = min(ids.count, 3, other.ids.count - first)
    return ranks.count >= few - 1 && last - first <= few ? first : nil
  }
}
