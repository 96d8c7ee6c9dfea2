internal import JSONBytes

/// What says where a page begins, and what that rests on.
struct PageMethod {
  /// What the recipe says.
  var notes: [Report.Note]
  /// The parameter, where that is a number.
  var number: NumberQuestion.Trial?
  /// The parameter, where it names the element above.
  var item: AnchorQuestion.Name?
  /// Whether it is what the page above gave.
  var isNext = false
  /// Whether the first page has the number 0.
  var isFromZero: Bool { notes.contains { $0.key == "first" && $0.value?.scalar == "0" } }

  /// A place of a kind, named by a parameter.
  init(
    _ by: String, _ name: String?, number: NumberQuestion.Trial? = nil, _ shown: String
  ) {
    self.number = number
    notes = [.pages("by", .text(by), shown)]
    if let name, name != by { notes.append(.pages("at", .text(name), "so it is called")) }
  }
}

/// Which of all ways leads to the page that follows: what the API shows first, then what is common.
struct PlaceQuestion {
  let evidence: Transcript
  let size: SizeQuestion.Size

  /// The answer to the question; nil where no way was shown.
  func settled() throws(NextCall) -> PageMethod? {
    guard evidence.first.ids.count > 1 else { return nil }
    let number = NumberQuestion(evidence, size)
    let item = AnchorQuestion(.item, evidence, size)
    let time = AnchorQuestion(.time, evidence, size)
    let next = NextQuestion(evidence, size)
    if let place = try number.hinted() { return place }
    if let place = try item.hinted() { return place }
    if let place = try next.byURL() { return place }
    if let place = try number.alike() { return place }
    if next.isToken, let place = try next.byToken() { return place }
    if let place = try next.byChange() { return place }
    if let place = try number.bundled() { return place }
    if let place = try next.byToken() { return place }
    for share in [AnchorQuestion.Share.likely, .others] {
      if let place = try item.bundled(share) { return place }
      if let place = try time.bundled(share) { return place }
    }
    if let place = try number.single() { return place }
    if let place = try item.single() { return place }
    guard evidence.isPicky else { return nil }
    try evidence.readDocument()
    if let place = try number.single(of: .max) { return place }
    if let place = try item.single(of: .max) { return place }
    return try time.single(of: .max)
  }
}
