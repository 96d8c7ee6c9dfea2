internal import Feed
internal import JSONBytes
internal import Upstream

/// Whether a page begins below an element that is named.
struct ItemQuestion {
  let evidence: Evidence
  let size: SizeQuestion.Size
  private var sample: Answer { size.sample }

  init(_ evidence: Evidence, _ size: SizeQuestion.Size) {
    (self.evidence, self.size) = (evidence, size)
  }

  /// How many elements are asked for where a place is tried.
  private static let few = 3

  /// A parameter, and the keys of what it is given of an element; none for its identity.
  struct Name {
    let parameter: String
    let keys: [String]
  }

  /// What the names do to which the API gives something of the last element.
  func hinted() throws(Ask) -> Place? {
    let (hints, telling) = (Hints(evidence), evidence.telling)
    guard let last = telling.elements.last else { return nil }
    let names = (hints.next + hints.others).compactMap { parameter -> Name? in
      let isCount = Int(parameter.value).map { $0 <= telling.elements.count } ?? false
      guard !isCount else { return nil }
      if telling.ids.last == parameter.value {
        return Name(parameter: parameter.name, keys: [])
      }
      let member = last.members?.first { $0.value.scalar == parameter.value }
      return member.map { Name(parameter: parameter.name, keys: [$0.name]) }
    }
    for name in names.prefix(2) {
      if let place = try confirmed([name], "the API gives it something of the last element") {
        return place
      }
    }
    return nil
  }

  /// What one of many names does that are asked for in one call, each with another element: of the
  /// likelier ones, or of those for which there was no element then.
  func bundled(_ share: Share) throws(Ask) -> Place? {
    let names = Names.item.filter { $0 != size.name }.map { Name(parameter: $0, keys: []) }
    let some = share.of(names, in: sample)
    guard !evidence.isPicky || evidence.answers.contains(where: { $0.ask == ask(some) }) else {
      return nil
    }
    return try confirmed(some, "each with another element")
  }

  /// A part of many names, as many as there are elements for them.
  enum Share {
    case likely, others

    func of<Name>(_ names: [Name], in sample: Answer) -> [Name] {
      let count = ItemQuestion.ranks(in: sample).count
      return Array(names.dropFirst(self == .likely ? 0 : count).prefix(count))
    }
  }

  /// What the likeliest names do, one by one.
  func single(of countMax: Int = 2) throws(Ask) -> Place? {
    guard evidence.isPicky else { return nil }
    for name in Names.item.prefix(countMax) {
      if let place = try confirmed([Name(parameter: name, keys: [])], "tried alone") {
        return place
      }
    }
    return nil
  }

  private func ask(_ names: [Name]) -> Ask {
    var ask = Ask(size.parameter(ItemQuestion.few))
    for (name, rank) in anchored(names) {
      let value = sample.elements[rank].value(at: name.keys.isEmpty ? evidence.shape.id : name.keys)
      ask.parameters.append(Parameter(name.parameter, value?.scalar ?? ""))
    }
    return ask
  }

  /// Each name with the rank of the element that it is given.
  private func anchored(_ names: [Name]) -> [(Name, rank: Int)] {
    let ranks = ItemQuestion.ranks(in: sample)
    return Array(zip(names, names.count == 1 ? ranks.suffix(1) : ranks[...])).map { ($0.0, $0.1) }
  }

  /// The ranks of the elements that names are given: where many were seen, further down than a list
  /// moves.
  static func ranks(in sample: Answer) -> [Int] {
    let first = sample.ids.count > 3 * Evidence.driftMax ? Evidence.driftMax + 1 : 1
    return Array(stride(from: first, to: sample.ids.count - 1, by: 3))
  }

  private func confirmed(_ names: [Name], _ why: String) throws(Ask) -> Place? {
    let tried = anchored(names)
    guard !tried.isEmpty, sample.ids.count == sample.elements.count,
      let rank = try evidence.answer(to: ask(names))?.rank(in: sample)
    else { return nil }
    for (name, anchor) in tried where rank == anchor || rank == anchor + 1 {
      // A number of elements above it would show the same.
      guard sample.ids[anchor] != "\(rank)" else { continue }
      // So near to the top a list that has moved would show the same to a name that is not heard.
      guard rank > Evidence.driftMax else {
        return names.count > 1 ? try confirmed([name], why) : nil
      }
      let shown = "the answer begins at the element that is named; \(why)"
      var place = Place("item", name.parameter, shown)
      place.item = name
      if !name.keys.isEmpty {
        let path = FieldPath(keys: name.keys).text
        place.notes.append(.pages("value", .text(path), "so the API names the last element"))
      }
      if rank == anchor {
        place.notes.append(
          .pages("includes", .bool(true), "the element that is named comes again"))
      }
      return place
    }
    return nil
  }

  /// Whether the element that is named has to be there: asks for one that no list has.
  func anchorNote(_ name: String) throws(Ask) -> Report.Note? {
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
        to: Ask(size.parameter(ItemQuestion.few), Parameter(name, absent))),
      (200..<500).contains(answer.status)
    else { return nil }
    let asked = "\(name)=\(absent), which names no element that was seen"
    let begins = answer.rank(in: sample)
    guard !isNumber || answer.elements.isEmpty || begins == 0 else {
      return .pages("existing", nil, "\(asked), shows elements all the same")
    }
    return answer.elements.isEmpty || begins == 0
      ? .pages("existing", .bool(true), "\(asked): \(answer.status), \(answer.ids.count) elements")
      : nil
  }
}
