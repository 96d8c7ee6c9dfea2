import ArgumentParser
import Bytes
import Feed
import Glibc
import Logging

/// How a line of the log is written.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
  /// One JSON object:
  ///
  ///     {"time":"2026-11-21T00:00:00.123Z","level":"info","label":"tsugi","message":"listening",
  ///      "url":"http://127.0.0.1:8080"}
  ///
  /// The first four names are always there, in this order; metadata follows, as text or, where it
  /// is one, as a whole number. Metadata of one of the four names is written as
  /// `metadata.<name>`, since a name that stands twice means nothing (RFC 8259 §4).
  case json
  /// For people: the time of day here, the level where it is worth a word, the message, and the
  /// metadata.
  ///
  ///     09:00:00 warning an upstream call failed  detail="it took too long" failure=timed_out
  case text

  /// What is written to standard error by default: text to a terminal, else JSON.
  static var standard: LogFormat { isatty(STDERR_FILENO) == 1 ? .text : .json }

  /// A whole line, with its end.
  func line(_ entry: LogEntry) -> [UInt8] {
    switch self {
    case .json: Self.json(entry)
    case .text: Self.text(entry)
    }
  }

  private static let fixedNames: Set = ["time", "level", "label", "message"]

  private static func json(_ entry: LogEntry) -> [UInt8] {
    var line = LogLine()
    line.append("time", .string(time(entry.instant)))
    line.append("level", .string(entry.level.rawValue))
    line.append("label", .string(entry.label))
    line.append("message", .string(entry.message))
    for (name, value) in entry.metadata {
      line.append(fixedNames.contains(name) ? "metadata.\(name)" : name, value)
    }
    return line.finished()
  }

  /// RFC 3339 in UTC, with milliseconds: `2026-11-21T00:00:00.123Z`.
  private static func time(_ instant: Timestamp) -> String {
    let milliseconds = String(instant.milliseconds - instant.seconds * 1000)
    let fraction = String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    return "\(RFC3339.text(instant).dropLast()).\(fraction)Z"
  }

  private static func text(_ entry: LogEntry) -> [UInt8] {
    var seconds = time_t(entry.instant.seconds)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    let level = entry.level == .info ? "" : " \(entry.level.rawValue)"
    let values = entry.metadata.map { " \($0.key)=\(word($0.value))" }.joined()
    let message = shown(entry.message)
    return Array("\(time)\(level) \(message)\(values.isEmpty ? "" : " ")\(values)\n".utf8)
  }

  /// A value as it is, or in quotes where it is not one plain word.
  private static func word(_ value: Logger.Metadata.Value) -> String {
    let text = value.description
    let isPlain = !text.isEmpty && !text.contains { $0 == " " || $0 == "\"" || $0 == "=" }
    return isPlain ? shown(text) : "\"\(shown(text.replacing("\"", with: "\\\"")))\""
  }

  /// A text of which no character moves the cursor, ends the line or turns the reading around.
  private static func shown(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHidden) else { return text }
    return text.unicodeScalars.map { isHidden($0) ? $0.escaped(asASCII: true) : String($0) }
      .joined()
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

/// The least severe level that is logged.
struct LogThreshold: CaseIterable, ExpressibleByArgument, CustomStringConvertible {
  let level: Logger.Level

  static let allCases = Logger.Level.allCases.map(LogThreshold.init)
  static var allValueStrings: [String] { allCases.map(\.description) }

  init(level: Logger.Level) { self.level = level }

  init?(argument: String) {
    guard let level = Logger.Level(rawValue: argument) else { return nil }
    self.level = level
  }

  var description: String { level.rawValue }
}
