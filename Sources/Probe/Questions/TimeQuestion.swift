internal import Feed
internal import JSONBytes
internal import Upstream

/// Whether a page begins at an instant.
struct TimeQuestion {
  let evidence: Evidence
  let size: SizeQuestion.Size

  init(_ evidence: Evidence, _ size: SizeQuestion.Size) {
    (self.evidence, self.size) = (evidence, size)
  }

  /// What one of many names does that are asked for in one call, each with another instant.
  func bundled() throws(Ask) -> Place? {
    let sample = size.sample
    guard let key = FallingKey.likeliest(of: sample.elements, id: evidence.shape.id),
      key.form != .number
    else { return nil }
    let keys = sample.elements.compactMap { $0.value(at: key.keys).flatMap(key.form.key) }
    guard keys.count == sample.elements.count else { return nil }
    let ranks = stride(from: 1, to: keys.count - 1, by: 3)
    let all = zip(Names.time, ranks).map { name, rank in
      (Parameter(name, key.form.text(of: keys[rank])), keys[rank])
    }
    var ask = Ask(size.parameter(3))
    ask.parameters += all.map(\.0)
    guard !evidence.isPicky || evidence.answers.contains(where: { $0.ask == ask }),
      let rank = try evidence.answer(to: ask)?.rank(in: sample), rank > 0
    else { return nil }
    for (parameter, instant) in all {
      let begins = keys[rank] == instant && keys[rank - 1] > instant
      let follows = keys[rank] < instant && keys[rank - 1] == instant
      guard begins || follows else { continue }
      var place = Place(
        "time", parameter.name,
        "of \(all.count) names, each with another instant, the answer begins where this says")
      if begins {
        place.notes.append(
          .pages("includes", .bool(true), "what is of the instant itself comes, too"))
      }
      return place
    }
    return nil
  }
}
