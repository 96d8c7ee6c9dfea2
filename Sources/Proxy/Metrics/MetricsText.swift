/// Writes metrics in Prometheus' text format, version 0.0.4.
struct MetricsText {
  /// What a metric is.
  enum Kind: String {
    case counter
    case gauge
    case histogram
    case summary
  }

  /// The bytes written so far.
  private(set) var text = ""
  private var name = ""

  /// Begins a metric: a name by Prometheus' conventions, and what it says.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a value of the metric begun last, under these labels.
  mutating func add(
    _ value: some LosslessStringConvertible, _ labels: KeyValuePairs<String, String> = [:],
    suffix: String = ""
  ) {
    let pairs = labels.map { "\($0.key)=\"\(MetricsText.escaped($0.value))\"" }
    let braces = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    text += "\(name)\(suffix)\(braces) \(value)\n"
  }

  private static func escaped(_ value: String) -> String {
    value.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.append(character)
      }
    }
  }
}
