internal import JSONBytes

/// What an API shows where there is nothing: far beyond the end, and at the last place that its
/// total speaks of.
struct EndQuestion {
  let evidence: Transcript
  let size: SizeQuestion.Size
  let number: NumberQuestion.Trial
  let isFromZero: Bool

  /// Asks for a place that no list has.
  func beyond() throws(NextCall) -> [Report.Note] {
    let asked = "\(number.name)=1000000"
    guard
      let answer = try evidence.answer(
        to: NextCall(size.parameter(size.max), Parameter(number.name, "1000000")))
    else { return [] }
    switch answer.status {
    case 200...206 where answer.elements.isEmpty:
      let note = Report.Note.pages("beyond", nil, "\(asked) is an empty page")
      let next = Signs.nexts(of: answer, in: evidence.address)
      guard let place = next.first?.place else { return [note] }
      return [note, .pages("next", .text("none"), "\(place) names a next page there all the same")]
    case 200...206:
      return [.pages("beyond", nil, "\(asked) shows elements: of the last page, or the first")]
    case 400, 404, 410, 416, 422:
      let status = JSONTree.number("\(answer.status)")
      return [.pages("beyond", .array([status]), "\(asked) is \(answer.status)")]
    default:
      return [.pages("beyond", nil, "\(asked) is \(answer.status), which may say anything")]
    }
  }

  /// Asks for what follows on all that came unasked, where these are no usual page: a total that
  /// is larger may count something else.
  func following() throws(NextCall) {
    let count = evidence.first.elements.count
    let total = ListFindings(evidence: evidence, sample: size.sample).total(by: nil)
    guard let total, Int(total.value) ?? 0 > count, !number.isPage, size.name != nil,
      evidence.first.ask.parameters.isEmpty, count > 100, !WholeQuestion.isUsual(count)
    else { return }
    _ = try evidence.answer(
      to: NextCall(size.parameter(1), Parameter(number.name, "\(count)")))
  }

  /// Asks for the last page by the total, where nothing else joins pages of one size: a total that
  /// is exact has the rest there. One that is sometimes late may have it, too.
  func exactness() throws(NextCall) -> [Report.Note] {
    let total = ListFindings(evidence: evidence, sample: size.sample).total(by: number)
    guard size.name == nil || size.isSparse, number.isPage, let total,
      let count = Int(total.value), count > size.max
    else { return [] }
    let above = (count - 1) / size.max
    let place = Parameter(number.name, "\(isFromZero ? above : above + 1)")
    let ask = NextCall(size.parameter(size.max), place)
    guard let answer = try evidence.answer(to: ask) else { return [] }
    let later = Signs.totals(of: answer).first { $0.place == total.place }
      .flatMap { Int($0.value) }
    let rest = answer.elements.count
    // A number below zero is no total, and may leave no room to subtract.
    let isRest = later.map { $0 >= 0 && $0 - above * size.max == rest } ?? false
    let shown =
      isRest
      ? "\(ask.text) has the rest of the total; whether that is ever late only its owner knows"
      : "\(ask.text) has \(rest) elements, which is not the rest of the total"
    return [.pages("exact", nil, shown)]
  }

  /// Asks for the last place that a list should have by its total.
  func reach() throws(NextCall) -> [Report.Note] {
    let sample = size.sample
    guard let total = Signs.totals(of: sample).first.flatMap({ Int($0.value) }),
      total > 5 * sample.elements.count
    else { return [] }
    let last = number.isPage ? total / max(1, sample.elements.count) : total - 1
    guard
      let answer = try evidence.answer(
        to: NextCall(size.parameter(sample.elements.count), Parameter(number.name, "\(last)"))),
      answer.elements.isEmpty
    else { return [] }
    let shown = answer.status == 200 ? "is empty" : "is \(answer.status)"
    return [
      .pages(
        "reach", nil,
        "\(number.name)=\(last) \(shown), and the total is \(total): say how many are shown")
    ]
  }
}
