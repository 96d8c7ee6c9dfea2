internal import Feed
internal import JSONBytes
internal import Upstream

/// The loop of a look: the calls that its questions need, and the pauses that the API asks for.
extension Inquiry {
  /// The verdict of a rule, which is asked again after each call that it needs.
  mutating func settle<Verdict>(
    _ question: String, _ evidence: inout Transcript, keeping kept: Int = 0,
    _ rule: (Transcript) throws(NextCall) -> Verdict
  ) async -> Verdict {
    evidence.isClosed = false
    while true {
      do throws(NextCall) {
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
  private mutating func perform(_ ask: NextCall, _ countMax: Int) async -> Reply? {
    do throws(FetchError) {
      return try await answer(to: ask, countMax)
    } catch {
      return nil
    }
  }

  /// What a call brings. Where the API asks for a wait, the call is made once more after it.
  private mutating func answer(
    to ask: NextCall, _ countMax: Int
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

  private mutating func send(_ ask: NextCall) async throws(FetchError) -> Reply {
    tell("call \(report.calls.count + 1) of at most \(callsMax): \(ask.text)")
    let url = ask.url.map(address.withSecrets) ?? address.text(ask.parameters)
    do throws(FetchError) {
      let reply = try await self.ask(url, report.headers.lines + ask.headerLines)
      report.calls.append("\(ask.text): \(reply.status)")
      return reply
    } catch {
      report.calls.append("\(ask.text): \(error.reason)")
      throw error
    }
  }

  /// The answer to the plain URL, or with some of what says how much.
  private mutating func plain(_ ask: NextCall = NextCall()) async throws(Failure) -> Reply {
    let reply: Reply
    do throws(FetchError) {
      reply = try await answer(to: ask, callsMax)
    } catch {
      throw .noAnswer(error)
    }
    if let busy = report.busy { throw .busy(busy) }
    return reply
  }

  /// What the plain URL shows.
  ///
  /// - Throws: why that is no list.
  mutating func lookFirst() async throws(Failure) -> Transcript {
    var reply = try await plain()
    if reply.status == 406, !report.headers.namesTypes, report.calls.count < callsMax {
      report.takeAnyType()
      reply = try await plain()
    }
    var ask = NextCall()
    let sizes = address.paging.filter { Names.isSize($0.name) }
    let isRefused = [400, 404, 422, 500].contains(reply.status)
    if isRefused, !sizes.isEmpty, report.calls.count < callsMax {
      // Some need what says how much.
      ask.parameters = sizes
      reply = try await plain(ask)
    }
    if let moved = address.moved(to: reply.url) {
      address = moved
      report.move(to: moved)
    }
    switch reply.status {
    case 200, 206: break
    case 401, 403, 407: throw .unknownCaller(status: reply.status, isNamed: isCallerNamed)
    default: throw .refused(status: reply.status)
    }
    guard let body = Answer(ask, reply, nil).body else {
      throw .notJSON(type: reply.fields["Content-Type"])
    }
    guard let shape = ListShape(body, word: address.feedName) else {
      throw body.isEmptyList ? .emptyList : .noList
    }
    let first = Answer(ask, reply, shape)
    let evidence = Transcript(address, shape, first: first)
    guard first.elements.count < Inquiry.fewElements,
      let size = address.paging.first(where: { Names.isSize($0.name) })
    else { return evidence }
    return await lookAgain(evidence, asking: size)
  }

  /// So few elements tell nothing that more would.
  private static let fewElements = 5

  /// What the URL shows with the size that it was given with, where without it few come.
  private mutating func lookAgain(
    _ evidence: Transcript, asking size: Parameter
  ) async -> Transcript {
    var few = evidence
    let answer = await settle("what the URL shows with \(size.name)", &few) {
      evidence throws(NextCall) in try evidence.answer(to: NextCall(size))
    }
    guard let answer, answer.elements.count > evidence.first.elements.count else { return evidence }
    return Transcript(address, evidence.shape, first: answer)
  }

  /// Finds out whether a parameter of the URL that has the number of the elements says how many
  /// come: then it is the size's, and not always asked for.
  mutating func takeSize(_ evidence: inout Transcript) async {
    let (first, given) = (evidence.first, address)
    let count = first.elements.count
    guard let size = given.kept.first(where: { $0.value == "\(count)" }), count > 1 else { return }
    address = given.offering(size)
    var other = Transcript(address, evidence.shape, first: first)
    other.second = evidence.second
    let few = min(5, count - 1)
    let isHeard = await settle("whether \(size.name) says how many come", &other) {
      evidence throws(NextCall) in
      try evidence.answer(to: NextCall(Parameter(size.name, "\(few)")))?
        .isTop(of: first, count: few) == true
    }
    guard isHeard else {
      address = given
      return
    }
    report.address = address
    evidence = other
    evidence.sizeName = size.name
  }
}

extension JSONTree {
  /// Whether it is an array without elements, or an object in which all arrays are such.
  fileprivate var isEmptyList: Bool {
    switch self {
    case .array(let elements): return elements.isEmpty
    case .object(let members):
      let arrays = members.compactMap { member in
        if case .array(let elements) = member.value { elements } else { nil }
      }
      return !arrays.isEmpty && arrays.allSatisfy(\.isEmpty)
    default: return false
    }
  }
}
