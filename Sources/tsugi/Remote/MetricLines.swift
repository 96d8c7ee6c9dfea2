/// The values of a text of metrics (Prometheus' format, version 0.0.4).
struct MetricLines {
  /// A value under its name and labels.
  struct Line: Equatable {
    var name: String
    var labels: [String: String]
    var value: Double

    /// The nearest whole number; 0 for what is no number.
    var count: Int { value.isNaN ? 0 : Int(max(-1e15, min(1e15, value))) }
  }

  let lines: [Line]

  /// Reads what it can; a line that is none is passed over.
  init(_ text: String) {
    lines = text.split(separator: "\n").compactMap(MetricLines.line)
  }

  /// The values of a name.
  func values(of name: String) -> [Line] { lines.filter { $0.name == name } }

  /// The sum of a name's values that have these labels.
  func sum(_ name: String, where fits: ([String: String]) -> Bool = { _ in true }) -> Int {
    values(of: name).filter { fits($0.labels) }.reduce(0) { $0 + $1.count }
  }

  /// `name{label="value"} 5`; the server's labels hold no escape that matters here.
  private static func line(_ text: Substring) -> Line? {
    guard text.first != "#", let space = text.lastIndex(of: " "),
      let value = Double(text[text.index(after: space)...])
    else { return nil }
    let head = text[..<space]
    let name = head.prefix { $0 != "{" }
    var labels: [String: String] = [:]
    var rest = head.dropFirst(name.count + 1)
    while let equals = rest.firstIndex(of: "=") {
      let label = rest[..<equals]
      let quoted = rest[equals...].dropFirst(2)
      guard let end = quoted.firstIndex(of: "\"") else { break }
      labels[String(label)] = String(quoted[..<end])
      rest = quoted[end...].dropFirst(2)
    }
    return Line(name: String(name), labels: labels, value: value)
  }
}
