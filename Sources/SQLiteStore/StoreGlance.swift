package import Feed
import Glibc

/// What is in a store's file, read without changing it, also while a server uses it.
///
/// ```swift
/// let glance = try StoreGlance.of("tsugi.sqlite")  // nil where there is no file
/// ```
package struct StoreGlance: Hashable, Sendable {
  /// A source with stored feeds.
  package struct Source: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its stored feeds.
    package var feeds: Int64
    /// The calls left, as last noted; nil where none was made.
    package var remaining: Int64?
  }

  /// The steps that the file has taken, of ``formatMax`` that this program knows.
  package var format: Int
  /// The random name made with the file.
  package var epoch: String
  /// The file's size, without its write-ahead log.
  package var bytes: Int64
  /// Stored items: each counts once, whatever number of feeds it stands in.
  package var items: Int64
  /// The sources, by name.
  package var sources: [Source]
  /// Whether a server holds it.
  package var isInUse: Bool

  /// The format that this program writes.
  package static var formatMax: Int { Schema.version }
  /// Stored feeds.
  package var feeds: Int64 { sources.reduce(0) { $0 + $1.feeds } }

  /// Reads the file at `path`; nil where there is none, or nothing is in it. Blocks.
  ///
  /// - Throws: `.foreign`, `.newerVersion`, `.corrupt`, or `.failed` where it cannot be read.
  package static func of(_ path: String) throws(StoreError) -> StoreGlance? {
    let path = StoreLock.realPath(path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      let code = errno
      guard code == ENOENT || code == ENOTDIR else {
        throw .failed(errno: code, "opening \(path)")
      }
      return nil
    }
    try StoreLock.refuseForeignFile(at: path)
    let connection = try Connection(path: path, access: .readOnly)
    switch try Schema.owner(on: connection) {
    case .unclaimed: return nil
    case .another: throw .foreign(path: path)
    case .tsugi(let version):
      return try connection.reading { () throws(StoreError) in
        StoreGlance(
          format: version, epoch: try connection.text("SELECT epoch FROM store"),
          bytes: try connection.fileBytes(),
          items: try connection.integer("SELECT count(*) FROM content"),
          sources: try sources(on: connection), isInUse: StoreLock.isTaken(path))
      }
    }
  }

  private static func sources(on connection: borrowing Connection) throws(StoreError) -> [Source] {
    let rows = try connection.prepare(
      """
      SELECT feed.source, count(*), max(source.budget_remaining)
      FROM feed LEFT JOIN source ON source.name = feed.source GROUP BY 1 ORDER BY 1
      """)
    var sources: [Source] = []
    while try rows.step() {
      sources.append(
        Source(
          name: String(decoding: try rows.bytes(0), as: UTF8.self), feeds: rows.integer(1),
          remaining: rows.isNull(2) ? nil : rows.integer(2)))
    }
    return sources
  }
}
