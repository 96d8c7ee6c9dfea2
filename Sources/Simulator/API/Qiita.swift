import Bytes

/// Qiita's API as a function: a call and a second in, an answer out.
///
/// Pure like the world it holds. The same options, calls and seconds give the same answers, byte
/// for byte; nothing is slow and nothing is sent here. Read next: `Qiita+Content` (what each path
/// answers), `Paging`, `Budget`, `Fault`.
package struct Qiita: Sendable {
  /// How Qiita behaves, apart from what it holds.
  package struct Options: Sendable {
    /// How the world moves while it is read.
    package var drift: Drift
    /// How likely each fault is in each answer; the first that strikes is the only one.
    package var faults: [Fault: Double]
    /// Calls an hour; nil for Qiita's own 60 without and 1000 with a token.
    package var budget: Int?
    /// How long every answer is held back.
    package var latencyMilliseconds: Int
    /// What it shows itself as; nil for Qiita.
    package var face: Face?

    /// By default a still, faultless, quick Qiita.
    package init(
      drift: Drift = Drift(), faults: [Fault: Double] = [:], budget: Int? = nil,
      latencyMilliseconds: Int = 0, face: Face? = nil
    ) {
      self.drift = drift
      self.faults = faults
      self.budget = budget
      self.latencyMilliseconds = latencyMilliseconds
      self.face = face
    }
  }

  /// What a test has laid down for one call to come.
  package enum Scripted: Sendable {
    /// An answer without a random fault.
    case ordinary
    /// An answer that fails in this way.
    case fault(Fault)
    /// An answer held back for so many milliseconds.
    case delayed(milliseconds: Int)
    /// A change of the world, then an answer without a random fault.
    case after(@Sendable (inout World) -> Void)
    /// This very answer.
    case answer(Answer)
  }

  /// What Qiita holds; a test may change it between calls.
  package var world: World
  /// How it behaves from the next call on.
  package var options: Options
  /// How many calls were answered.
  package private(set) var callCount = 0
  /// The calls that were answered, in order: all of them up to `callsMax`, then at least the
  /// latest half as many.
  package private(set) var calls: [AnsweredCall] = []

  /// The largest number of calls that are remembered.
  package static let callsMax = 20_000

  private var script: [Scripted] = []
  private var budgets: [String?: Budget] = [:]
  /// How many items there were at the answer before; nil before the first.
  var laggingTotal: Int?

  /// A Qiita that holds a world.
  package init(_ world: World, options: Options = Options()) {
    self.world = world
    self.options = options
  }

  /// Lays down what happens at the next calls, one for each, after what is laid down already.
  package mutating func script(_ next: [Scripted]) {
    script += next
  }

  /// Answers one call at a second since 1970.
  package mutating func answer(_ call: Call, nowSeconds: Int64) -> Answer {
    world.advance(to: nowSeconds)
    let number = callCount
    var generator = SeededGenerator(seed: world.options.seed, number, 99)
    var budget =
      budgets[call.token] ?? Budget(limit: options.budget ?? (call.token == nil ? 60 : 1_000))
    let isWithinBudget = budget.spend(nowSeconds: nowSeconds)
    budgets[call.token] = budget

    let scripted = script.isEmpty ? nil : script.removeFirst()
    if case .after(let change)? = scripted { change(&world) }
    let fault = scripted.map(Self.fault) ?? randomFault(&generator)
    var answer: Answer
    if case .answer(let given)? = scripted {
      answer = given
    } else if !isWithinBudget {
      answer = .rateLimited
    } else {
      answer = content(of: call, fault: fault, number: number, &generator)
    }
    answer.delayMilliseconds += options.latencyMilliseconds
    if case .delayed(let milliseconds)? = scripted { answer.delayMilliseconds += milliseconds }
    finish(&answer, call, budget, nowSeconds)
    log(call, answer, nowSeconds)
    return answer
  }

  /// Adds the fields that every answer has, and turns a known one into 304.
  private func finish(_ answer: inout Answer, _ call: Call, _ budget: Budget, _ nowSeconds: Int64) {
    if answer.status == 200, answer.fault == nil {
      let etag = "W/\"\(Self.digest(answer.body))\""
      answer.fields.append(("etag", etag))
      if call.ifNoneMatch == etag {
        answer.status = 304
        answer.body = []
      }
    }
    answer.fields += [
      ("cache-control", "max-age=0, private, must-revalidate"),
      ("date", HTTPDate.text(seconds: nowSeconds)),
      ("rate-limit", String(budget.limit)),
      ("rate-remaining", String(budget.remaining)),
      ("rate-reset", String(budget.resetSeconds)),
      ("server", "nginx"),
    ]
  }

  private mutating func log(_ call: Call, _ answer: Answer, _ nowSeconds: Int64) {
    let paging = options.face == nil ? Paging(call) : nil
    callCount += 1
    if calls.count == Self.callsMax { calls.removeFirst(Self.callsMax / 2) }
    calls.append(
      AnsweredCall(
        call: call, page: paging?.page, perPage: paging?.perPage, status: answer.status,
        fault: answer.fault, step: world.step, atSeconds: nowSeconds))
  }

  private func randomFault(_ generator: inout SeededGenerator) -> Fault? {
    Fault.allCases.first { generator.chance(options.faults[$0] ?? 0) }
  }

  private static func fault(_ scripted: Scripted) -> Fault? {
    guard case .fault(let fault) = scripted else { return nil }
    return fault
  }

  /// 32 digits that change when a byte of the body does.
  private static func digest(_ body: [UInt8]) -> String {
    var first = UInt64(truncatingIfNeeded: body.count)
    var second: UInt64 = 0x51_7C_C1_B7_27_22_0A_95
    body.withUnsafeBytes { bytes in
      var place = 0
      while place + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        first = (first ^ UInt64(littleEndian: word)) &* 0x0000_0100_0000_01B3
        first ^= first >> 29
        second = (second &+ first) &* 0x9E37_79B9_7F4A_7C15
        place += 8
      }
      for byte in bytes[place...] { second = (second ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    let digits = [first, second].map { String($0 ^ ($0 >> 32), radix: 16) }
    return digits.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
  }
}
