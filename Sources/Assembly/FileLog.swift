import Feed
import Logging
import Synchronization

/// Logs a file source: when its content was taken, and when it is refused, each
/// once, however often it is requested meanwhile.
final class FileLog: Sendable {
  private let source: String
  private let path: Mutex<String>
  private let logger: Logger
  private let failure = Mutex<FetchError?>(nil)

  /// A log of the source that is read from the file at `path`.
  init(source: String, path: String, logger: Logger) {
    self.source = source
    self.path = Mutex(path)
    self.logger = logger
  }

  /// The source is read from another file from now on.
  func setPath(_ path: String) {
    self.path.withLock { $0 = path }
  }

  /// Notes an incident of the source's reader.
  func note(_ incident: Incident) {
    // A single item that is not in the file is no fault of the file.
    guard case .called(let call) = incident, call.window != nil else {
      if case .notStored = incident { logger.log(incident, of: source) }
      return
    }
    let outcome = call.failure
    let failed = outcome == .unchanged ? nil : outcome
    let before = failure.withLock { failure in
      defer { failure = failed }
      return failure
    }
    let metadata: Logger.Metadata = ["source": "\(source)", "file": "\(path.withLock { $0 })"]
    if let failed {
      guard failed != before else { return }
      logger.warning(
        "a file is refused; its former content is served",
        metadata: metadata.merging(["reason": "\(failed.reason)"]) { $1 })
    } else if outcome == nil || before != nil {
      logger.info("a file was read", metadata: metadata)
    }
  }
}
