internal import Feed
internal import JSONBytes
internal import Upstream

/// Whether a page begins below an element that is named: by something of its own, or by its time.
struct AnchorQuestion {
  /// What names an element.
  enum Kind: String { case item, time }

  /// A parameter, and the keys of what it is given of an element; none for its identity, or time.
  struct Name {
    let parameter: String
    var keys: [String] = []
  }

  let kind: Kind
  let evidence: Transcript
  let size: SizeQuestion.Size
  private var sample: Answer { size.sample }
  /// The elements' times, where these name them.
  private let times: FallingKey?
  /// What falls from element to element, as what names them does.
  private let keys: [Int64]

  init(_ kind: Kind, _ evidence: Transcript, _ size: SizeQuestion.Size) {
    (self.kind, self.evidence, self.size) = (kind, evidence, size)
    let sample = size.sample
    let falling = kind == .time ? evidence.order(of: sample) : nil
    times = falling.flatMap { $0.form == .number ? nil : $0 }
    let all = kind == .item ? sample.ids.indices.map { -Int64($0) } : times?.values ?? []
    keys = sample.ids.count == sample.elements.count ? all : []
  }

  /// How many elements are asked for where a place is tried.
  private static let few = 3

  /// What the names do to which the API gives something of the last element.
  func hinted() throws(NextCall) -> PageMethod? {
    let (hints, telling) = (Hints(evidence), evidence.telling)
    guard let last = telling.elements.last else { return nil }
    let names = (hints.next + hints.others).compactMap { parameter -> Name? in
      let isCount = Int(parameter.value).map { $0 <= telling.elements.count } ?? false
      guard !isCount else { return nil }
      if telling.ids.last == parameter.value { return Name(parameter: parameter.name) }
      let member = last.members?.first { $0.value.scalar == parameter.value }
      return member.map { Name(parameter: parameter.name, keys: [$0.name]) }
    }
    for name in names.prefix(2) {
      if let place = try alone(name, "the API gives it something of the last element") {
        return place
      }
    }
    return nil
  }

  /// A part of many names, as many as there are elements for them.
  enum Share { case likely, others }

  /// What one of many names does that are asked for in one call, each with another element.
  func bundled(_ share: Share) throws(NextCall) -> PageMethod? {
    let ranks = ranks
    let some = common.dropFirst(share == .likely ? 0 : ranks.count).map { Name(parameter: $0) }
    return try confirmed(Array(zip(some, ranks)), "each with another element")
  }

  /// What the likeliest names do, one by one.
  func single(of countMax: Int = 2) throws(NextCall) -> PageMethod? {
    for name in common.prefix(evidence.isPicky ? countMax : 0) {
      if let place = try alone(Name(parameter: name), "tried alone") { return place }
    }
    return nil
  }

  private var common: [String] {
    (kind == .item ? Names.item : Names.time).filter { $0 != size.name }
  }

  /// The ranks of the elements that names are given: where many were seen, further down than a list
  /// moves.
  private var ranks: [Int] {
    let first = sample.ids.count > 3 * Transcript.driftMax ? Transcript.driftMax + 1 : 1
    return Array(stride(from: first, to: sample.ids.count - 1, by: 3))
  }

  private func alone(_ name: Name, _ why: String) throws(NextCall) -> PageMethod? {
    try confirmed(ranks.suffix(1).map { (name, $0) }, why)
  }

  /// The text that names an element.
  private func text(_ name: Name, _ rank: Int) -> String {
    if let times { return times.form.text(of: keys[rank]) }
    let path = name.keys.isEmpty ? evidence.shape.id : name.keys
    return sample.elements[rank].value(at: path)?.scalar ?? ""
  }

  /// What names do of which each is given the element of a rank.
  private func confirmed(
    _ tried: [(name: Name, rank: Int)], _ why: String
  ) throws(NextCall) -> PageMethod? {
    let tried = tried.filter { isInside($0.name) }
    guard !tried.isEmpty, !keys.isEmpty else { return nil }
    var ask = NextCall(size.parameter(AnchorQuestion.few))
    ask.parameters += tried.map { Parameter($0.name.parameter, text($0.name, $0.rank)) }
    let answer = try tried.count > 1 ? evidence.answer(toMany: ask) : evidence.answer(to: ask)
    guard let rank = answer?.rank(in: sample), rank > 0 else { return nil }
    for (name, anchor) in tried {
      let includes = keys[rank] == keys[anchor] && keys[rank - 1] > keys[anchor]
      let follows = keys[rank] < keys[anchor] && keys[rank - 1] == keys[anchor]
      // A number of elements above it would show the same.
      guard includes || follows, text(name, anchor) != "\(rank)" else { continue }
      // So near to the top a list that has moved would show the same to a name that is not heard.
      guard rank > Transcript.driftMax else {
        return tried.count > 1 ? try alone(name, why) : nil
      }
      return place(name, includes: includes, "the answer begins where the name says; \(why)")
    }
    return nil
  }

  /// Whether what names an element stands in it as it is handed out.
  private func isInside(_ name: Name) -> Bool {
    name.keys.isEmpty || evidence.shape.wrapped.map { $0 == name.keys.first } ?? true
  }

  private func place(_ name: Name, includes: Bool, _ shown: String) -> PageMethod {
    var place = PageMethod(kind.rawValue, name.parameter, shown)
    if kind == .item { place.item = name }
    if !name.keys.isEmpty {
      let path = FieldPath(keys: name.keys).text
      place.notes.append(.pages("value", .text(path), "so the API names the last element"))
    }
    if includes {
      place.notes.append(.pages("includes", .bool(true), "what is named comes again"))
    }
    return place
  }

  /// Whether the element that is named has to be there: asks for one that no list has.
  func existing(_ name: String) throws(NextCall) -> Report.Note? {
    let known = Set(sample.ids)
    guard let last = sample.ids.last else { return nil }
    let isNumber = sample.ids.allSatisfy { Int64($0) != nil }
    let numbers = sample.ids.compactMap { Int64($0) }
    let gap = numbers.lazy.compactMap { $0 < .max ? "\($0 + 1)" : nil }.dropFirst()
      .first { !known.contains($0) }
    let absent = isNumber ? gap : "\(last.dropLast())\(last.last == "0" ? "1" : "0")"
    guard let absent, !known.contains(absent) else { return nil }
    guard
      let answer = try evidence.answer(
        to: NextCall(size.parameter(AnchorQuestion.few), Parameter(name, absent))),
      (200..<500).contains(answer.status)
    else { return nil }
    let asked = "\(name)=\(absent), which names no element that was seen"
    guard answer.elements.isEmpty || answer.rank(in: sample) == 0 else {
      return isNumber ? .pages("existing", nil, "\(asked), shows elements all the same") : nil
    }
    return .pages(
      "existing", .bool(true), "\(asked): \(answer.status), \(answer.ids.count) elements")
  }
}
