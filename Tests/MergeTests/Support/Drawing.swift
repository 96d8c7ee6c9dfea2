import Feed

@testable import Merge

/// Pieces as they are drawn, one part a line: `a | a9 a7 a4 | ?`.
///
/// `a9` is an item of part a, written in second 9. The first bar is where the part begins to be
/// known, right above its first item or above the second that follows it (`|12`). Behind the last
/// one stands what is below: nothing for the feed's end, `?` for what may be asked for, `x` for
/// what failed, `#` for a wall, `g3` for a gap down to second 3, `+` for more that is known.
struct Drawing {
  var question: Question

  init(_ text: String, limit: Int, optional: String = "", lag: Int64 = 60) {
    let lines = text.split(separator: "\n")
    question = Question(limit: limit, roles: [], parts: [])
    for (index, line) in lines.enumerated() {
      let words = line.split(separator: " ").map(String.init)
      let role = Drawing.role(
        words[0], realm: index, isOptional: optional.contains(words[0]), lag: lag)
      var part = PartState()
      part.piece = piece(words.dropFirst(), role.scale)
      part.block = words.last == "x" ? .failed(.unavailable(retryAt: Self.now)) : nil
      question.roles.append(role)
      question.parts.append(part)
    }
  }

  static let now = Timestamp(seconds: 1_000)

  static func role(
    _ name: String, realm: Int, isOptional: Bool = false, lag: Int64 = 60, siblings: [Int] = []
  ) -> PartRole {
    PartRole(
      name: name, isOptional: isOptional, lag: .seconds(lag),
      scale: PartScale(realm: "realm \(realm)", unit: .seconds), realm: realm, siblings: siblings)
  }

  private func piece(_ words: ArraySlice<String>, _ scale: PartScale) -> Piece {
    let items = words.filter {
      $0.first?.isLetter == true && Int($0.dropFirst()) != nil && $0 != words.last
    }
    .map(element)
    let bars = words.filter { $0.hasPrefix("|") }
    let end = words.last?.hasPrefix("|") == true ? "" : words.last ?? ""
    func second(_ bar: String?) -> Int64? { bar.flatMap { Int64($0.dropFirst()) } }
    let top = second(bars.first) ?? items.first?.position.order ?? 0
    let bottom = second(bars.last) ?? items.last?.position.order ?? 0
    let isOver = end.isEmpty
    var upper = Cut.above(key: top)
    var lower = isOver ? .bottom : Cut.below(key: bottom)
    if bars.isEmpty { (upper, lower) = (.top, .top) }
    let slice = Slice(
      of: items, covers: nil, hasMore: false, hasPrevious: false, endReason: nil,
      freshness: .at(Drawing.now))
    let range = CutRange(upper: scale.cut(upper), lower: scale.cut(lower))
    var (isFull, reason, next) = (false, EndReason?.none, Cut?.none)
    switch end.first {
    case nil: reason = .end
    case "#": reason = .upstreamLimit
    case "+": isFull = true
    case "g": next = Int64(end.dropFirst()).map { scale.cut(.above(key: $0)) }
    default: break
    }
    return Piece(
      slice, range: range, isFull: isFull, isHead: !bars.isEmpty, end: reason, next: next)
  }

  private func element(_ word: String) -> Element {
    let id = Identity(word)
    let place = Position(order: Int64(word.dropFirst()) ?? 0, tie: id.bytes)
    return Element(position: place, id: id, bytes: id.bytes)
  }
}

extension Piece {
  /// The same with something changed.
  func with(isHead: Bool? = nil, _ change: (inout Slice) -> Void = { _ in }) -> Piece {
    var slice = slice
    change(&slice)
    return Piece(
      slice, range: range, isFull: isFull, isHead: isHead ?? self.isHead, end: end, next: next,
      hole: hole)
  }
}

/// A step in words: `b8 a7 … ` where there is more, `ask a ..2` for what is lacking down to 2.
func drawn(_ step: MergeStep, _ question: Question) -> String {
  func names(_ parts: [Int]) -> String {
    parts.map { question.roles[$0].name }.joined(separator: " ")
  }
  switch step {
  case .read(let parts): return "read \(names(parts))"
  case .fail(let error, let part): return "fail \(question.roles[part].name) \(error.word)"
  case .ask(let asks):
    return asks.map { ask in
      let lower = ask.range.lower == .bottom ? "" : "\(ask.range.lower.position.order / 1_000)"
      return "\(ask.looks ? "look" : "ask") \(question.roles[ask.part].name) ..\(lower)"
    }.joined(separator: ", ")
  case .serve(let outcome):
    var words = outcome.items.map { question.element($0).id.text }
    if outcome.hasMore { words.append("…") }
    if let reason = outcome.endReason { words.append("(\(reason))") }
    if let gap = outcome.gap {
      words.append("gap \(gap.parts.joined(separator: " ")) ..\(gap.lower.position.order / 1_000)")
    }
    words += outcome.missing.map { missing in
      let from = missing.from.map { "\($0.seconds)" } ?? ""
      let to = missing.to.map { "\($0.seconds)" } ?? ""
      return "without \(missing.part) \(missing.reason) \(from)..\(to)"
    }
    return words.joined(separator: " ")
  }
}

extension ReadError {
  var word: String {
    switch self {
    case .unavailable: "unavailable"
    case .timedOut: "timedOut"
    default: "\(self)"
    }
  }
}

extension Freshness {
  /// Fresh, as of an instant.
  static func at(_ instant: Timestamp) -> Freshness {
    Freshness(of: [], lookedAt: instant, policy: Policy(), at: instant)
  }
}
