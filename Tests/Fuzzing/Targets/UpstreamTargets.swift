import Bytes
import Freshness

#if DEBUG
  import Feed
  import JSONBytes
  @testable import Proxy
  @testable import Upstream

  /// An answer's fields, a line each, under the status that the first byte chooses: what the budget
  /// learns from them never locks it for longer than a day.
  func answerFault(_ bytes: [UInt8]) -> String? {
    guard let seed = bytes.first else { return nil }
    var fields = FieldList()
    for line in bytes.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false) {
      fields.append(line: line)
    }
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let date = fields["Date"].flatMap { HTTPDate.parse($0, now: now.seconds) }
    let error = FetchError(
      status: [200, 403, 404, 429, 500, 302][Int(seed) % 6],
      answer: Answer(head: nil, body: .success(Array(bytes.dropFirst()))), fields: fields,
      now: date ?? now.seconds)
    var budget = Budget(assumed: Policy().allowance)
    budget.spend(at: now)
    var rules = Recipe.RateRules()
    if seed & 64 != 0 {
      (rules.calls, rules.seconds) = (1, 31_622_400)
      (rules.used, rules.pause) = (AnswerPlace("header:X-Used"), AnswerPlace("header:X-Pause"))
    } else if seed & 128 != 0 {
      rules.remaining = AnswerPlace("header:X-Left")
      rules.reset = AnswerPlace("header:X-Reset")
    }
    let reading = BudgetReading(
      AnswerReader(body: bytes, fields: fields), rules, now: now.seconds)
    budget.learn(
      from: Fetched(
        sentAt: now, receivedAt: now, date: date, budget: reading,
        result: error.map { Result<Int, FetchError>.failure($0) } ?? .success(0)))
    guard (0...Int(Int32.max)).contains(budget.remaining) else {
      return "a budget of \(budget.remaining)"
    }
    _ = budget.listeningPause(feeds: .max, policy: Policy(), at: now)
    if let resetAt = budget.resetAt, !(now...(now + .seconds(86_400))).contains(resetAt) {
      return "a reset at \(resetAt.seconds)"
    }
    _ = LinkField.target(relation: "next", in: fields.texts(of: "Link"))
    _ = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: now.seconds)
    return nil
  }

  /// A file's elements are whole and named once, or the file is refused at a line that it has.
  func fileFault(_ bytes: [UInt8]) -> String? {
    do throws(FileFault) {
      let items = try FileElements.read(bytes)
      guard Set(items.map(\.id)).count == items.count else { return "one id twice" }
      guard items.allSatisfy({ JSON.isValid($0.bytes[...]) }) else { return "one is not valid" }
    } catch {
      let lines = bytes.count { $0 == 0x0A } + 1
      guard (1...lines).contains(error.line), !error.reason.isEmpty else {
        return "refused at line \(error.line) of \(lines)"
      }
    }
    return nil
  }

  /// What is inflated stays within the limit, however it comes, and what was compressed comes back.
  func gzipFault(_ bytes: [UInt8]) -> String? {
    guard let seed = bytes.first else { return nil }
    let input = bytes.dropFirst()
    let limit = 1 << 16
    let whole = inflated([input], limit)
    guard whole == inflated(pieces(of: input, seed: seed), limit) else {
      return "the split matters"
    }
    if let whole, whole.count > limit { return "more than the limit" }
    var gzip = Gzip()
    if let small = gzip.compressed(Array(input)) {
      guard inflated([small[...]], bytes.count) == Array(input) else { return "another came back" }
    }
    return nil
  }

  private func inflated(_ pieces: [ArraySlice<UInt8>], _ limit: Int) -> [UInt8]? {
    guard var inflater = try? Inflater() else { return nil }
    var output: [UInt8] = []
    for piece in pieces {
      let isGood = piece.withUnsafeBytes { bytes in
        (try? inflater.inflate(bytes, into: &output, limitBytes: limit)) != nil
      }
      guard isGood else { return nil }
    }
    return inflater.isAtEnd ? output : nil
  }
#endif
