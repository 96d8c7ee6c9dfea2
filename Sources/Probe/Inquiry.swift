internal import Feed
internal import JSONBytes
internal import Upstream

/// Looks at an API with a few calls and writes down its recipe: what no answer shows is not
/// guessed, and what is wrong is worse than nothing.
///
/// `Probe` is the room of rules on evidence. Each question is a value that reads the answers so
/// far: it gives a verdict, or throws the ``Ask`` whose answer it needs. Only the loop here makes
/// calls. It does not keep or serve anything.
///
/// Read next: `Evidence` (what was asked and answered), `SizeQuestion`, `PlaceQuestion` and the
/// ways it tries, `WholeQuestion`, `Report`.
package struct Inquiry {
  /// The most calls, unless another number is given.
  package static let callsMax = 8
  /// The longest wait that an API may ask for before the look ends, in seconds.
  private static let waitSecondsMax = 60
  /// The longest pause before each call after the API has asked for one, in seconds.
  private static let paceSecondsMax = 5

  /// What was found so far.
  package private(set) var report: Report
  private var address: ListAddress
  private let second: ListAddress?
  private let ask: Call
  private let tell: (String) -> Void
  private let callsMax: Int
  private let pause: (_ seconds: Int) async -> Void
  /// How long each call waits, since the API has asked for it.
  private var paceSeconds = 0
  private let isCallerNamed: Bool

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
    }
    let size = await settle("how many elements a page has", &evidence) {
      evidence throws(Ask) in try SizeQuestion(evidence).settled()
    }
    let mayBeWhole = size.name == nil && !Signs.hasMore(evidence.first, in: address)
    let place = await settle("where a page begins", &evidence, keeping: mayBeWhole ? 1 : 0) {
      evidence throws(Ask) in try PlaceQuestion(evidence: evidence, size: size).settled()
    }
    guard let place else {
      try await noteWhole(&evidence, size)
      return report
    }
    guard size.name != nil || evidence.isFirstFull else {
      throw .onePage(reason: "all of \(size.max) elements came, which shows no page's size")
    }
    for note in place.notes { report.note(note) }
    for note in size.notes { report.note(note) }
    if size.mayBeAll {
      let all = await settle("whether all elements came", &evidence) {
        evidence throws(Ask) in
        try AllQuestion(evidence: evidence, size: size, place: place).settled()
      }
      for note in all { report.note(note) }
    }
    let findings = ListFindings(evidence: evidence, sample: size.sample)
    for note in findings.signs(place) { report.note(note) }
    await noteEnds(&evidence, size, place)
    for note in findings.elements + findings.order { report.note(note) }
    await noteRest(&evidence, size.sample)
    return report
  }

  private mutating func noteWhole(
    _ evidence: inout Evidence, _ size: SizeQuestion.Size
  ) async throws(Failure) {
    let verdict = await settle("whether the answer is the whole list", &evidence) {
      evidence throws(Ask) in try WholeQuestion(evidence, size).settled()
    }
    switch verdict {
    case .page(let reason):
      for note in size.notes { report.note(note) }
      throw .onePage(reason: reason)
    case .whole(let shown, let total):
      report.note(.list("order", .text("whole"), shown))
      if let total {
        report.note(.pages("total", .text(total), "if it says more, more is missing"))
      }
      let findings = ListFindings(evidence: evidence, sample: evidence.first)
      for note in findings.elements { report.note(note) }
      await noteRest(&evidence, evidence.first)
    }
  }

  private mutating func noteEnds(
    _ evidence: inout Evidence, _ size: SizeQuestion.Size, _ place: Place
  ) async {
    if let number = place.number {
      let rule = { (evidence: Evidence) in
        EndQuestion(evidence: evidence, size: size, number: number)
      }
      let beyond = await settle("what comes beyond the end", &evidence) {
        evidence throws(Ask) in try rule(evidence).beyond()
      }
      let reach = await settle("how many elements are shown", &evidence) {
        evidence throws(Ask) in try rule(evidence).reach()
      }
      for note in beyond + reach { report.note(note) }
    }
    if let item = place.item {
      let note = await settle("whether the element that is named must exist", &evidence) {
        evidence throws(Ask) in try AnchorQuestion(.item, evidence, size).existing(item.parameter)
      }
      if let note { report.note(note) }
    }
  }

  private mutating func noteRest(_ evidence: inout Evidence, _ sample: Answer) async {
    let unchanged = await settle("what a 304 costs", &evidence) {
      evidence throws(Ask) in try CostQuestion(evidence: evidence).unchanged()
    }
    let one = await settle("where an element is shown by itself", &evidence) {
      evidence throws(Ask) in try OneQuestion(evidence: evidence, sample: sample).settled()
    }
    for note in CostQuestion(evidence: evidence).rate + unchanged + one { report.note(note) }
  }

  // MARK: - The loop

  /// The verdict of a rule, which is asked again after each call that it needs.
  private mutating func settle<Verdict>(
    _ question: String, _ evidence: inout Evidence, keeping kept: Int = 0,
    _ rule: (Evidence) throws(Ask) -> Verdict
  ) async -> Verdict {
    evidence.isClosed = false
    while true {
      do throws(Ask) {
        return try rule(evidence)
      } catch {
        if report.calls.count + kept < callsMax, report.busy == nil {
          let reply = await perform(error, callsMax - kept)
          if report.busy == nil { evidence.note(Answer(error, reply, evidence.shape)) }
        } else {
          evidence.isClosed = true
          report.leaveOpen(question)
        }
      }
    }
  }

  /// Makes a call; nil where nothing came.
  private mutating func perform(_ ask: Ask, _ countMax: Int) async -> Reply? {
    do throws(FetchError) {
      return try await answer(to: ask, countMax)
    } catch {
      return nil
    }
  }

  /// What a call brings. Where the API asks for a wait, the call is made once more after it.
  private mutating func answer(
    to ask: Ask, _ countMax: Int
  ) async throws(FetchError) -> Reply {
    if paceSeconds > 0 { await pause(paceSeconds) }
    let reply = try await send(ask)
    guard let busy = Busy(reply) else { return reply }
    let seconds = max(1, busy.waitSeconds ?? 1)
    guard seconds <= Inquiry.waitSecondsMax, report.calls.count < countMax else {
      report.busy = busy
      return reply
    }
    tell("waiting \(seconds) s, as the API asks")
    await pause(seconds)
    paceSeconds = min(seconds, Inquiry.paceSecondsMax)
    let second = try await send(ask)
    report.busy = Busy(second)
    return second
  }

  private mutating func send(_ ask: Ask) async throws(FetchError) -> Reply {
    tell("call \(report.calls.count + 1) of at most \(callsMax): \(ask.text)")
    let url = ask.url.map(address.withSecrets) ?? address.text(ask.parameters)
    do throws(FetchError) {
      let reply = try await self.ask(url, ask.headerLines)
      report.calls.append("\(ask.text): \(reply.status)")
      return reply
    } catch {
      report.calls.append("\(ask.text): \(error.reason)")
      throw error
    }
  }

  private mutating func lookFirst() async throws(Failure) -> Evidence {
    let reply: Reply
    do throws(FetchError) {
      reply = try await answer(to: Ask(), callsMax)
    } catch {
      throw .noAnswer(error)
    }
    if let busy = report.busy { throw .busy(busy) }
    if let moved = address.moved(to: reply.url) {
      address = moved
      report.move(to: moved)
    }
    switch reply.status {
    case 200, 206: break
    case 401, 403, 407: throw .unknownCaller(status: reply.status, isNamed: isCallerNamed)
    default: throw .refused(status: reply.status)
    }
    let ask = Ask()
    guard let body = Answer(ask, reply, nil).body else {
      throw .notJSON(type: reply.fields["Content-Type"])
    }
    guard let shape = ListShape(body, word: address.feedName) else { throw .noList }
    return Evidence(address, shape, first: Answer(ask, reply, shape))
  }
}
