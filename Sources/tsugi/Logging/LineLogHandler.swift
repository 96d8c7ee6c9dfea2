import Feed
import Logging

/// Writes each log event as one line, in one write: one JSON object, or text for a terminal.
struct LineLogHandler: LogHandler {
  let label: String
  let format: LogFormat
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level

  private let now: @Sendable () -> Timestamp
  private let write: @Sendable ([UInt8]) -> Void

  /// A handler that asks `now` for the time of each event and hands whole lines to `write`.
  init(
    label: String, format: LogFormat = .json, level: Logger.Level = .info,
    now: @escaping @Sendable () -> Timestamp, write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.label = label
    self.format = format
    logLevel = level
    self.now = now
    self.write = write
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
    all.merge(event.metadata ?? [:]) { _, new in new }
    if let error = event.error { all["error"] = .string("\(error)") }
    let line = LogEntry(
      instant: now(), level: event.level, label: label, message: event.message.description,
      metadata: all.sorted { $0.key < $1.key })
    write(format.line(line))
  }
}

/// The content of a log line.
struct LogEntry {
  var instant: Timestamp
  var level: Logger.Level
  var label: String
  var message: String
  /// Sorted by name.
  var metadata: [(key: String, value: Logger.Metadata.Value)]
}
