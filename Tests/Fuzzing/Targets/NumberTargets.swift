import Freshness

#if DEBUG
  import Feed
  @testable import PostgreSQLStore
  import Settings
  @testable import Upstream

  private let now = Timestamp(milliseconds: 1_700_000_000_000)

  /// An element, read with a form and a unit that the first byte chooses: what it is computed with
  /// later bears every key.
  func elementFault(_ bytes: [UInt8]) -> String? {
    let seed = Int(bytes.first ?? 0)
    let form = KeyForm.allCases[seed % KeyForm.allCases.count]
    let unit = KeyUnit.allCases[seed / 8 % KeyUnit.allCases.count]
    var list = ListRecipe(path: "items")
    (list.time, list.order) = (form, .falling(FieldPath(key: "key")))
    list.updated = FieldPath(key: "updated")
    let reader = ElementReader(list, key: FieldPath(key: "key"), unit: unit)
    guard let item = try? reader.item(in: bytes.dropFirst()) else { return nil }
    var past = PastRecipe()
    past.grain = PastRecipe.Grain.allCases[seed / 32 % PastRecipe.Grain.allCases.count]
    for key in [item.key, item.updatedAt].compactMap(\.self) {
      guard KeyUnit.keys.contains(key) else { return "a key of \(key)" }
      let second = unit.second(of: key)
      if let second, unit.keys(in: second)?.contains(key) == false, second.magnitude < 1 << 51 {
        return "\(key) is not in its second"
      }
      _ = past.text(of: past.grain(in: unit).last(of: key), in: unit, form: form)
    }
    var edits = RecentEdits()
    edits.recall(item, realm: "r", unit: unit, clock: item.key ?? 0, seenAt: now)
    return nil
  }

  /// Answers with an empty line between them, by what their `Date`, `Age` and newest element tell:
  /// none was made after it was asked for.
  func clockFault(_ bytes: [UInt8]) -> String? {
    var clock = UpstreamClock()
    var fields = FieldList()
    var at = now
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard line.isEmpty else {
        fields.append(line: line)
        continue
      }
      let newest = fields["Newest"].flatMap { Int64($0) }
      // An answer's own dates have four digits in their year; one that others share may be any.
      let date = fields.number("Date") ?? fields["Shared"].flatMap { Int64($0) }
      if let date, fields["Shared"] != nil {
        clock.adopt(UpstreamDate(date: date, madeAt: StoredInteger(date).instant))
      }
      let reading = clock.read(
        date: date, age: fields.number("Age"), newest: newest, sentAt: at,
        receivedAt: at + .seconds(1))
      if reading.madeAt > at { return "made after it was asked for" }
      let least = clock.least(shown: newest, sentAt: at, receivedAt: at + .seconds(1))
      var top = SettledTop(at: least ?? 0, in: .seconds)
      top.settle(shown: newest ?? 0)
      at = at + .seconds(fields.number("Wait") ?? 1)
      fields = FieldList()
    }
    return nil
  }

  /// What stores keep as text, after a byte that chooses what it is: what is read is written as the
  /// same again, and what is computed of it bears every number.
  func rowFault(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    guard bytes.first.map({ $0 % 2 == 0 }) ?? true else {
      let calls = RecentCalls(text: text)
      var budget = Budget(limit: nil, remaining: 8, resetAt: nil, calls: calls, openings: calls)
      if RecentCalls(text: calls.text) != calls { return "calls are others" }
      _ = budget.opensAgain(permille: 500, at: now)
      _ = budget.waitsUntil(at: now)
      budget.spend(at: now)
      budget.calls.giveBack(takenAt: now, over: budget.assumed.period)
      return nil
    }
    guard let timeline = try? TimelineCoding.timeline(text) else { return nil }
    guard (try? TimelineCoding.timeline(TimelineCoding.text(of: timeline))) == timeline else {
      return "a timeline is another"
    }
    for proof in timeline.proofs {
      let freshness = Freshness(
        of: [proof], lookedAt: timeline.lookedAt, policy: Policy(), at: now)
      if freshness.age(at: now) < 0 { return "an age below nothing" }
    }
    for move in timeline.moves where Move.numbers.contains(move.number) {
      _ = Trail(known: move.number).passing(.below(move.from), timeline.moves)
    }
    return nil
  }

  /// A list of a recipe in the first line, and an answer's body to it: what is taken of it is
  /// whole, named once, and has a key where the list needs one.
  func recipeFault(_ bytes: [UInt8]) -> String? {
    let line = bytes.prefix { $0 != 0x0A }
    let start = #"{"sources":{"s":{"kind":"http","baseURL":"http://a/","feeds":{"f":"#
    let json = Array(start.utf8) + line + Array("}}}}".utf8)
    guard let configuration = try? Configuration.read(json),
      case .http(let source)? = configuration.sources["s"]
    else { return nil }
    let lists = ListReaders(source.recipe)
    let answer = AnswerReader(body: Array(bytes.dropFirst(line.count + 1)), fields: FieldList())
    for (list, pattern) in zip(source.recipe.lists, source.recipe.patterns) {
      guard let page = try? lists[list.path]?.page(answer, countMax: 40) else { continue }
      if Set(page.items.map(\.item.id)).count != page.items.count { return "one id twice" }
      for slot in page.items where pattern.order == .value {
        guard let key = slot.item.key else { return "no key" }
        if !KeyUnit.keys.contains(key) { return "a key of \(key)" }
      }
      if page.total ?? 0 < 0 { return "a total of \(page.total ?? 0)" }
    }
    return nil
  }
#endif
