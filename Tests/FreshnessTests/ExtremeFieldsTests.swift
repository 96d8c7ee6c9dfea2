import Support
import Testing

@testable import Freshness

/// Any number may stand in any field of a request or an answer that a cache reads.
@Suite struct ExtremeFieldsTests {
  private static let directives = [
    "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error", "min-fresh", "max-stale",
  ]
  private static let now: Int64 = 1_763_690_000_000

  @Test(arguments: Extremes.texts) func anAnswerIsJudgedWhateverItSays(_ number: String) {
    let cache = Self.directives.map { "\($0)=\(number)" }.joined(separator: ", ")
    for lines in [
      [("Cache-Control", cache), ("Age", number)], [("Age", number), ("Date", number)],
      [("Expires", number), ("Last-Modified", number)],
      [("Date", "Fri, 21 Nov \(number) 01:55:00 GMT"), ("Cache-Control", "max-age=\(number)")],
      [("Expires", "Fri, 21 Nov \(number) 01:55:00 GMT"), ("Content-Length", number)],
      [("Content-Range", "bytes 0-\(number)/\(number)"), ("ETag", "\"\(number)\"")],
      [("CDN-Cache-Control", "max-age=\(number)")],
    ] {
      check(FieldList(lines.map { FieldLine($0.0, $0.1) }))
    }
  }

  @Test(arguments: Extremes.texts) func aRangeLiesInsideOfTheContent(_ number: String) {
    let answer = StoredAnswer(
      status: 200, fields: [], to: [], askedAt: Self.now, respondedAt: Self.now)
    for range in ["\(number)-", "-\(number)", "\(number)-\(number)", "0-\(number)", "\(number)-9"] {
      for size in [0, 1, 1_000] {
        let wanted = ByteRange.wanted(
          of: answer, size: size, for: [FieldLine("Range", "bytes=\(range)")])
        guard case .part(let part) = wanted else { continue }
        #expect((0..<size).contains(part.lowerBound) && (0..<size).contains(part.upperBound))
      }
    }
  }

  private func check(_ fields: FieldList) {
    var rules = CacheRules()
    rules.targets = ["cdn-cache-control"]
    let answer = StoredAnswer(
      status: 200, fields: rules.told(fields), to: fields, askedAt: Self.now - 1_000,
      respondedAt: Self.now)
    for now in [Self.now - 86_400_000, Self.now, Self.now + 86_400_000_000] {
      #expect(answer.age(at: now) >= 0 && answer.lifetime(by: rules) >= 0)
      let ttl = answer.timeToLive(by: rules, at: now)
      if case .serve(let served) = Reuse(fields, stored: answer, by: rules, at: now) {
        #expect(served == ttl)
      }
      for trouble in [Reuse.Trouble.error, .silence] {
        _ = Reuse.servesStale(answer, to: fields, in: trouble, by: rules, at: now)
      }
      _ = Keeping.mayKeep(answer, to: fields, by: rules)
    }
  }
}
