import Feed
import Freshness
import Testing

@testable import Probe
@testable import Upstream

/// What was asked for.
struct HabitQuery {
  let path: Substring
  let parameters: [Parameter]

  subscript(name: String) -> String? { parameters.last { $0.name == name }?.value }

  /// The number that a parameter gives; another where it gives none.
  func number(_ name: String, or other: Int) -> Int { self[name].flatMap { Int($0) } ?? other }

  /// The names of parameters besides these.
  func others(than known: [String]) -> [String] {
    parameters.map(\.name).filter { !known.contains($0) }
  }
}

/// A status, header lines, and a body.
typealias HabitAnswer = (Int, [String], String)

/// Looks at lists that answer by a rule.
protocol HabitSuite {}

extension HabitSuite {
  /// Elements from a rank on, the newest first: `more` stands in each, with its rank for `#`.
  static func elements(
    from begin: Int, _ size: Int, of count: Int = 240, more: String = #""id":"a-#""#
  ) -> String {
    let ranks = max(0, begin)..<max(max(0, begin), min(count, begin + size))
    let elements = ranks.map { rank in
      let second = Int64(1_765_300_000 - 60 * rank)
      let made = KeyForm.rfc3339.text(of: second * 1_000)
      return #"{\#(more.replacing("#", with: "\(900_000 - rank)")),"created_at":"\#(made)"}"#
    }
    return "[\(elements.joined(separator: ","))]"
  }

  /// What is written down of a list by what it answers.
  func look(
    _ url: String = "http://api.example/v2/things", second: String? = nil,
    _ answer: @escaping @Sendable (HabitQuery) -> HabitAnswer
  ) async throws -> (list: ListRecipe, report: Report) {
    var inquiry = Inquiry(
      try #require(ListAddress(url)), second: second.flatMap { ListAddress($0) }
    ) { url, _ in
      let parts = url.split(separator: "?", maxSplits: 1)
      guard parts[0].contains("/things") else {
        return Reply(status: 404, fields: FieldList(), body: Array("{}".utf8))
      }
      let (status, lines, body) = answer(
        HabitQuery(path: parts[0], parameters: parts.count > 1 ? Parameter.all(of: parts[1]) : []))
      var fields = FieldList()
      for line in lines { fields.append(line: Array(line.utf8)) }
      return Reply(status: status, fields: fields, body: Array(body.utf8))
    }
    let report = try await inquiry.run()
    #expect(report.calls.count <= Inquiry.callsMax)
    return (try #require(report.recipe().lists.first), report)
  }
}
