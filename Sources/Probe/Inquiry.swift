internal import Feed
internal import JSONBytes
internal import Upstream

/// Looks at an API with a few calls and writes down its recipe: what no answer shows is not
/// guessed, and what is wrong is worse than nothing.
///
/// `Probe` is the room of rules on evidence. Each question is a value that reads the answers so
/// far: it gives a verdict, or throws the ``NextCall`` whose answer it needs. Only the loop in
/// `Inquiry+Calls` makes calls. It does not keep or serve anything.
///
/// Read next: `Transcript` (what was asked and answered), `SizeQuestion`, `PlaceQuestion` and the
/// ways it tries, `WholeQuestion`, `Report`.
package struct Inquiry {
  /// The most calls, unless another number is given.
  package static let callsMax = 8
  /// The longest wait that an API may ask for before the look ends, in seconds.
  static let waitSecondsMax = 60
  /// The longest pause before each call after the API has asked for one, in seconds.
  static let paceSecondsMax = 5

  /// What was found so far.
  package internal(set) var report: Report
  var address: ListAddress
  private let second: ListAddress?
  let ask: Call
  let tell: (String) -> Void
  let callsMax: Int
  let pause: (_ seconds: Int) async -> Void
  /// How long each call waits, since the API has asked for it.
  var paceSeconds = 0
  let isCallerNamed: Bool

  /// An inquiry about a list. `second` is the URL of its second page, where that is known. `ask`
  /// sends a call; `tell` gets a line before each, and before each `pause` that the API asks for.
  package init(
    _ address: ListAddress, second: ListAddress? = nil, callsMax: Int = Inquiry.callsMax,
    headers: CallHeaders = CallHeaders(), tell: @escaping (String) -> Void = { _ in },
    pause: @escaping (_ seconds: Int) async -> Void = { seconds in
      // A cancelled pause only asks earlier.
      try? await Task.sleep(for: .seconds(seconds))
    },
    ask: @escaping Call
  ) {
    (self.address, self.second) = (address, second)
    (self.callsMax, self.tell, self.pause, self.ask) = (callsMax, tell, pause, ask)
    isCallerNamed = headers.credential != nil || !address.secrets.isEmpty
    report = Report(address, headers)
  }

  /// Finds out what the configuration has to say.
  ///
  /// - Throws: why there is nothing to say. What fails later is only not said.
  package mutating func run() async throws(Failure) -> Report {
    do throws(Failure) {
      return try await look()
    } catch {
      // What was not answered since the API is busy says nothing of the list.
      guard case .onePage = error, let busy = report.busy else { throw error }
      throw .busy(busy)
    }
  }

  private mutating func look() async throws(Failure) -> Report {
    var evidence = try await lookFirst()
    if let second {
      guard let parameters = address.second(second) else { throw .otherList }
      evidence.second = parameters
      await lookAsSecond(&evidence)
    }
    await takeSize(&evidence)
    let size = await settle("how many elements a page has", &evidence) {
      evidence throws(NextCall) in try SizeQuestion(evidence).settled()
    }
    evidence.sizeName = size.name
    let mayBeWhole = size.name == nil && !Signs.hasMore(evidence.first, in: address)
    let place = await settle("where a page begins", &evidence, keeping: mayBeWhole ? 1 : 0) {
      evidence throws(NextCall) in try PlaceQuestion(evidence: evidence, size: size).settled()
    }
    guard let place else {
      try await noteWhole(&evidence, size)
      return report
    }
    guard size.name != nil || evidence.isFirstFull else {
      throw .onePage(reason: "all of \(size.max) elements came, which shows no page's size")
    }
    report.note(place.notes + size.notes)
    if size.askedForAll != nil {
      let all = await settle("whether all elements came", &evidence) {
        evidence throws(NextCall) in
        try AllQuestion(evidence: evidence, size: size, place: place).settled()
      }
      report.note(all)
    }
    if let number = place.number {
      await settle("what the total counts", &evidence) { evidence throws(NextCall) in
        try EndQuestion(
          evidence: evidence, size: size, number: number, isFromZero: place.isFromZero
        ).following()
      }
    }
    let findings = ListFindings(evidence: evidence, sample: size.sample)
    report.note(findings.signs(place))
    await noteEnds(&evidence, size, place)
    report.note(findings.elements + findings.order)
    await noteRest(&evidence, size.sample)
    return report
  }

  /// Looks at the first page in the size that the URL of the second one has: what leads there
  /// may stand in no other.
  private mutating func lookAsSecond(_ evidence: inout Transcript) async {
    let values = Signs.scalars(in: evidence.first.body).compactMap(\.value.scalar)
    let isMark = evidence.place.contains { mark in
      mark.value.contains { !$0.isNumber } && !values.contains { $0.contains(mark.value) }
    }
    guard isMark, let size = evidence.second.first(where: { Names.isSize($0.name) }) else { return }
    _ = await settle("what the first page shows with \(size.name)", &evidence) {
      evidence throws(NextCall) in try evidence.answer(to: NextCall(size))
    }
  }

  private mutating func noteWhole(
    _ evidence: inout Transcript, _ size: SizeQuestion.Size
  ) async throws(Failure) {
    let verdict = await settle("whether the answer is the whole list", &evidence) {
      evidence throws(NextCall) in try WholeQuestion(evidence, size).settled()
    }
    switch verdict {
    case .page(let reason):
      report.note(size.notes + ListFindings(evidence: evidence, sample: evidence.first).elements)
      throw .onePage(reason: reason)
    case .whole(let shown, let total):
      let totals: [Report.Note] =
        total.map { [.pages("total", .text($0), "if it says more, more is missing")] } ?? []
      let findings = ListFindings(evidence: evidence, sample: evidence.first)
      report.note([.list("order", .text("whole"), shown)] + totals + findings.elements)
      await noteRest(&evidence, evidence.first)
    }
  }

  private mutating func noteEnds(
    _ evidence: inout Transcript, _ size: SizeQuestion.Size, _ place: PageMethod
  ) async {
    if let number = place.number {
      let rule = { (evidence: Transcript) in
        EndQuestion(evidence: evidence, size: size, number: number, isFromZero: place.isFromZero)
      }
      let beyond = await settle("what comes beyond the end", &evidence) {
        evidence throws(NextCall) in try rule(evidence).beyond()
      }
      let exact = await settle("whether the total is exact", &evidence) {
        evidence throws(NextCall) in try rule(evidence).exactness()
      }
      let reach = await settle("how many elements are shown", &evidence) {
        evidence throws(NextCall) in try rule(evidence).reach()
      }
      report.note(beyond + exact + reach)
    }
    if let item = place.item {
      let note = await settle("whether the element that is named must exist", &evidence) {
        evidence throws(NextCall) in
        try AnchorQuestion(.item, evidence, size).existing(item.parameter)
      }
      report.note(note.map { [$0] } ?? [])
    }
  }

  private mutating func noteRest(_ evidence: inout Transcript, _ sample: Answer) async {
    let unchanged = await settle("what a 304 costs", &evidence) {
      evidence throws(NextCall) in try CostQuestion(evidence: evidence).unchanged()
    }
    let one = await settle("where an element is shown by itself", &evidence) {
      evidence throws(NextCall) in try OneQuestion(evidence: evidence, sample: sample).settled()
    }
    report.note(CostQuestion(evidence: evidence).rate + unchanged + one)
  }
}
