// As much of the system's log as the articles use, where there is none.

/// A log.
public struct Logger: Sendable {
  /// A log of a part of an app.
  public init(subsystem: String, category: String) {}
  /// Logs what is of use while an app is made.
  public func debug(_ message: String) {}
  /// Logs an error.
  public func error(_ message: String) {}
}
