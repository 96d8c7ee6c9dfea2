internal import JSONBytes

/// Whether fewer elements came than were asked for since there are no more: then they show nothing
/// of how many a page has at most.
struct AllQuestion {
  let evidence: Transcript
  let size: SizeQuestion.Size
  let place: PageMethod

  /// Asks for what follows them. Where it cannot be asked for, fewer than a page usually has are
  /// all.
  func settled() throws(NextCall) -> [Report.Note] {
    guard let asked = size.askedForAll else { return [] }
    let isAll = try isAll() ?? (size.max < WholeQuestion.countMin)
    guard isAll else { return [] }
    // Of more than were refused, as many as were not.
    let most = size.isBounded ? JSONTree.number("\(asked)") : nil
    let refused = size.isBounded ? "; asked for \(asked), it did not refuse" : ""
    let max = Report.Note.pages(
      "max", most, "all \(size.max) elements came, and none follows\(refused)")
    return size.isSparse ? [max, .pages("accept", nil, "a page has more than they are")] : [max]
  }

  /// Whether nothing follows; nil where that was not asked.
  private func isAll() throws(NextCall) -> Bool? {
    guard let ask, let answer = try evidence.answer(to: ask), (200..<500).contains(answer.status)
    else { return nil }
    return !answer.goesOn(from: size.sample)
  }

  private var ask: NextCall? {
    // Where places are rounded to multiples of the size, one that is not given is none.
    guard !place.notes.contains(where: { $0.key == "aligned" }) else { return nil }
    // What follows is named where something follows.
    if place.isNext { return NextCall() }
    let count = size.sample.elements.count
    if let number = place.number {
      let value = number.isPage ? place.isFromZero ? 1 : 2 : count
      return NextCall(size.parameter(count), Parameter(number.name, "\(value)"))
    }
    guard let item = place.item, let last = size.sample.elements.last,
      let value = last.value(at: item.keys.isEmpty ? evidence.shape.id : item.keys)?.scalar
    else { return nil }
    return NextCall(size.parameter(count), Parameter(item.parameter, value))
  }
}
