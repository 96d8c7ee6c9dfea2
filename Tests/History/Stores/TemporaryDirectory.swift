import Foundation

/// A directory of its own, removed with what is in it.
package final class TemporaryDirectory: Sendable {
  /// Where it is.
  package let path: String

  /// An empty directory whose name begins so.
  package init(_ name: String) throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { remove() }

  /// Removes it now, though others may hold it. One that stays behind is the system's to sweep.
  package func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
