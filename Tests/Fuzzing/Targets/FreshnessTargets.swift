#if DEBUG
  @testable import Freshness

  /// The rules of a shared cache over the fields of any request and any answer: lines up to an
  /// empty one, then the answer's. The first byte chooses status, rules and times.
  func cacheFault(_ bytes: [UInt8]) -> String? {
    let seed = Int64(bytes.first ?? 0)
    let (request, fields) = messages(in: bytes.dropFirst())
    var rules = CacheRules()
    if seed & 1 == 1 { rules.targets = ["cdn-cache-control"] }
    if seed & 2 == 2 { rules.ignores = [.noStore, .isPrivate] }
    if seed & 4 == 4 { rules.freshSeconds = 30 }
    let status = [200, 304, 206, 404, 299, 500][Int(seed) % 6]
    let start: Int64 = 784_111_777_000
    let answer = StoredAnswer(
      status: status, fields: rules.told(fields), to: request, askedAt: start + seed * 1_000,
      respondedAt: start + 9_000)
    let now = start + 9_000 + seed * 500
    return agesFault(answer, rules, at: now) ?? reuseFault(answer, request, rules, at: now)
      ?? variantsFault(answer, request) ?? rangesFault(answer, request, size: Int(seed))
  }

  private func messages(in bytes: ArraySlice<UInt8>) -> (FieldList, FieldList) {
    var lists = [FieldList(), FieldList()]
    var index = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard !line.isEmpty else {
        index = 1
        continue
      }
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard parts.count == 2 else { continue }
      lists[index].lines.append(
        FieldLine(String(decoding: parts[0], as: UTF8.self), FieldText.trimmed(parts[1])))
    }
    return (lists[0], lists[1])
  }

  private func agesFault(_ answer: StoredAnswer, _ rules: CacheRules, at now: Int64) -> String? {
    let (age, lifetime) = (answer.age(at: now), answer.lifetime(by: rules))
    if age < 0 { return "an age of \(age)" }
    if answer.age(at: now + 5_000) != age + 5 { return "it does not grow older by the clock" }
    if lifetime < 0 { return "a lifetime of \(lifetime)" }
    let told = answer.fields(at: now)
    if told.values(of: "age") != [Array("\(age)".utf8)] { return "not one age is told" }
    let merged = answer.validated(by: answer)
    if merged.status != answer.status || merged.validated(by: answer) != merged {
      return "validated twice by the same it is another"
    }
    return nil
  }

  private func reuseFault(
    _ answer: StoredAnswer, _ request: FieldList, _ rules: CacheRules, at now: Int64
  ) -> String? {
    let ttl = answer.lifetime(by: rules) - answer.age(at: now)
    let told = rules.directives(of: answer.fields).found
    switch Reuse(request, stored: answer, by: rules, at: now) {
    case .serve(let told), .serveAndValidate(let told):
      if told != ttl { return "served as fresh for \(told) and not \(ttl) s" }
      if ttl <= 0,
        ["must-revalidate", "proxy-revalidate"].contains(where: {
          rules.directives(of: answer.fields).found.has($0)
        })
      {
        return "served stale against the answer's word"
      }
    case .fetch: return "what is kept is passed over"
    case .validate: break
    case .unsatisfiable:
      if !Directives(request).has("only-if-cached") { return "504 without only-if-cached" }
    }
    if told.has("no-cache"),
      case .serve = Reuse(request, stored: answer, by: rules, at: now)
    {
      return "served against no-cache"
    }
    guard Keeping.mayKeep(answer, to: request, by: rules) else { return nil }
    if told.has("private") { return "kept though it is private" }
    if Variants.isEndless(answer.fields) { return "kept though it varies by everything" }
    return nil
  }

  private func variantsFault(_ answer: StoredAnswer, _ request: FieldList) -> String? {
    if !Variants.isEndless(answer.fields), !Variants.selects(answer, request) {
      return "it is not for the request that it came to"
    }
    for other in [FieldList(), FieldList(request.lines.reversed()), answer.fields] {
      let asked = StoredAnswer(
        status: 200, fields: answer.fields, to: other, askedAt: 0, respondedAt: 0)
      let isSame = Variants.key(of: asked) == Variants.key(of: answer)
      if !Variants.isEndless(answer.fields), isSame != Variants.selects(answer, other) {
        return "keys and selection differ"
      }
    }
    return nil
  }

  private func rangesFault(
    _ answer: StoredAnswer, _ request: FieldList, size: Int
  ) -> String? {
    guard case .part(let part) = ByteRange.wanted(of: answer, size: size, for: request) else {
      return nil
    }
    return part.lowerBound < 0 || part.upperBound >= size ? "a part past the end" : nil
  }
#endif
