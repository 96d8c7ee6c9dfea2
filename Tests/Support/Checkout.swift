package import Foundation

/// The checkout of the repository that the running tests were built from.
package enum Checkout {
  /// Its top level.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The text of a file, by its path from the root, as `docker/prometheus.yml`.
  package static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Where recorded answers lie: beside the checkout, and not part of it.
  package static let recordings = root.appending(path: "../shared/data/qiita").standardizedFileURL

  /// The recorded answers in JSON, sorted by path; none where the folder is missing, which is the
  /// ordinary case outside of the authors' machines.
  package static let recordedAnswers: [URL] = {
    let files = try? FileManager.default.contentsOfDirectory(
      at: recordings, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }()
}
