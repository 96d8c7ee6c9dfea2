import Foundation

/// A pgbouncer of this machine's packages in front of a ``RunningPostgreSQL``, in transaction mode:
/// each transaction runs on whichever session is free.
package final class RunningPooler: Sendable {
  private let port: Int
  private let folder: String

  private static let program = "/usr/sbin/pgbouncer"

  /// Whether the machine has one.
  package static var isThere: Bool {
    RunningPostgreSQL.isThere && FileManager.default.isExecutableFile(atPath: program)
  }

  /// Starts one in front of the database server at a port, with three sessions of each database
  /// there.
  package init(before serverPort: Int) throws {
    port = try freePort()
    folder = "\(NSTemporaryDirectory())/tsugi-pooler-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let settings = """
      [databases]
      * = host=127.0.0.1 port=\(serverPort) user=tsugi
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      default_pool_size = 3
      max_client_conn = 100
      logfile = \(folder)/log
      pidfile = \(folder)/pid

      """
    try Data(settings.utf8).write(to: URL(filePath: "\(folder)/settings"))
    if getuid() == 0 {
      try RunningPostgreSQL.run("/bin/chown", ["-R", "postgres", folder], asOwner: false)
    }
    try RunningPostgreSQL.run(Self.program, ["-d", "-q", "\(folder)/settings"])
  }

  /// The way to a database through it.
  package func url(of url: String) -> String {
    "postgresql://tsugi@127.0.0.1:\(port)/\(RunningPostgreSQL.name(of: url))"
  }

  /// Ends it.
  package func stop() {
    let text = try? String(contentsOfFile: "\(folder)/pid", encoding: .utf8)
    if let text, let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
      // The mask of blocked signals that it inherits may have the others.
      kill(process, SIGKILL)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
