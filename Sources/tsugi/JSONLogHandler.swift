import Feed
import Logging

/// Writes each log event as one JSON object on a line of its own, in one write.
///
///     {"time":"2026-11-21T00:00:00.123Z","level":"info","label":"tsugi","message":"listening",
///      "url":"http://127.0.0.1:8080"}
///
/// The first four names are always there, in this order; metadata follows, sorted by name, as text
/// or, where it is one, as a whole number. Metadata of one of the four names is written as
/// `metadata.<name>`, since a name that stands twice means nothing (RFC 8259 §4).
struct JSONLogHandler: LogHandler {
  let label: String
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level = .info

  private let now: @Sendable () -> Timestamp
  private let write: @Sendable ([UInt8]) -> Void

  /// A handler that asks `now` for the time of each event and hands whole lines to `write`.
  init(
    label: String, now: @escaping @Sendable () -> Timestamp,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.label = label
    self.now = now
    self.write = write
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = LogLine()
    line.append("time", .string(Self.text(now())))
    line.append("level", .string(event.level.rawValue))
    line.append("label", .string(label))
    line.append("message", .string(event.message.description))
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
    all.merge(event.metadata ?? [:]) { _, new in new }
    if let error = event.error { all["error"] = .string("\(error)") }
    for (name, value) in all.sorted(by: { $0.key < $1.key }) {
      line.append(Self.fixedNames.contains(name) ? "metadata.\(name)" : name, value)
    }
    write(line.finished())
  }

  private static let fixedNames: Set = ["time", "level", "label", "message"]

  /// RFC 3339 in UTC, with milliseconds: `2026-11-21T00:00:00.123Z`.
  private static func text(_ instant: Timestamp) -> String {
    let milliseconds = String(instant.milliseconds - instant.seconds * 1000)
    let fraction = String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    return "\(RFC3339.text(instant).dropLast()).\(fraction)Z"
  }
}
