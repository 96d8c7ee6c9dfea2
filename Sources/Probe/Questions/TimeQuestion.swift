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
  func bundled(_ share: ItemQuestion.Share) throws(Ask) -> Place? {
    let names = share.of(Names.time, in: size.sample)
    return evidence.isPicky || names.isEmpty
      ? nil : try confirmed(Array(zip(names, ItemQuestion.ranks(in: size.sample))))
  }

  /// What the names do, one by one.
  func single() throws(Ask) -> Place? {
    let rank = size.sample.elements.count / 2
    for name in Names.time {
      if let place = try confirmed([(name, rank)]) { return place }
    }
    return nil
  }

  /// What names do of which each is given the instant of the element of a rank.
  private func confirmed(_ names: [(name: String, rank: Int)]) throws(Ask) -> Place? {
    let sample = size.sample
    guard let key = FallingKey.likeliest(of: sample.elements, id: evidence.shape.id),
      key.form != .number
    else { return nil }
    let keys = key.values
    let all = names.map { (Parameter($0.name, key.form.text(of: keys[$0.rank])), keys[$0.rank]) }
    var ask = Ask(size.parameter(3))
    ask.parameters += all.map(\.0)
    guard let rank = try evidence.answer(to: ask)?.rank(in: sample), rank > 0 else { return nil }
    for (parameter, instant) in all {
      let begins = keys[rank] == instant && keys[rank - 1] > instant
      let follows = keys[rank] < instant && keys[rank - 1] == instant
      guard begins || follows else { continue }
      // So near to the top a list that has moved would show the same to a name that is not heard.
      guard rank > Evidence.driftMax else {
        let far = sample.elements.count / 2
        return names.count > 1 ? try confirmed([(parameter.name, far)]) : nil
      }
      var place = Place(
        "time", parameter.name,
        "\(all.count > 1 ? "of \(all.count) names, each with another instant, " : "")"
          + "the answer begins where this says")
      if begins {
        place.notes.append(
          .pages("includes", .bool(true), "what is of the instant itself comes, too"))
      }
      return place
    }
    return nil
  }
}
