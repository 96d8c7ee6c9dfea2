import Foundation
import Synchronization

/// A PostgreSQL of this machine's packages that a test process starts for itself, on a port of its
/// own, with its data in memory where there is such a place.
package final class RunningPostgreSQL: Sendable {
  /// The port it listens on, on 127.0.0.1.
  package let port: Int
  private let folder: String
  private let programs: String
  private let databases = Mutex(0)

  /// What its databases are reached through, where `TSUGI_TEST_POOLER` is set and it is the
  /// process's own.
  private let pooler: RunningPooler?

  /// The one of this process, started when it is first asked for; nil where the machine has none.
  package static let shared: RunningPostgreSQL? = {
    guard let programs = RunningPostgreSQL.programs else { return nil }
    let isPooled = ProcessInfo.processInfo.environment["TSUGI_TEST_POOLER"] != nil
    return try? RunningPostgreSQL(programs, isPooled: isPooled)
  }()

  /// Whether the machine has one.
  package static var isThere: Bool { programs != nil }

  /// Where its programs are: in `TSUGI_TEST_POSTGRESQL`, else those of the newest package.
  private static var programs: String? {
    if let named = ProcessInfo.processInfo.environment["TSUGI_TEST_POSTGRESQL"] { return named }
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.sorted().last.map { "\(root)/\($0)/bin" }
  }

  /// Starts one of its own; ``stop()`` ends it, at the latest when the process exits.
  package static func start() throws -> RunningPostgreSQL {
    guard let programs else { throw CocoaError(.fileNoSuchFile) }
    return try RunningPostgreSQL(programs)
  }

  private init(_ programs: String, isPooled: Bool = false) throws {
    self.programs = programs
    let memory = "/dev/shm"
    let root = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    folder = "\(root)/tsugi-postgresql-\(UUID().uuidString)"
    port = try freePort()
    pooler = isPooled ? try RunningPooler(before: port) : nil
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { try Self.run("/bin/chown", ["postgres", folder], asOwner: false) }
    try Self.run(
      "\(programs)/initdb", ["-D", "\(folder)/data", "-A", "trust", "-U", "tsugi", "-N"])
    try restart()
    let ended = self
    RunningPostgreSQL.started.withLock { $0.append(ended) }
    atexit { RunningPostgreSQL.started.withLock { $0.forEach { $0.end() } } }
  }

  private static let started = Mutex<[RunningPostgreSQL]>([])

  /// Starts it again after a stop.
  package func restart() throws {
    let settings =
      "-p \(port) -k \(folder) -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
      + " -c log_line_prefix=%p,%d,"
    try Self.run(
      "\(programs)/pg_ctl",
      [
        "-D", "\(folder)/data", "-w", "-l", "\(folder)/log", "-o", settings,
        "start",
      ])
  }

  /// Stops it: `fast`, or `immediate` as a crash would.
  package func stop(mode: String = "fast") {
    _ = try? Self.run("\(programs)/pg_ctl", ["-D", "\(folder)/data", "-m", mode, "-w", "stop"])
  }

  private func end() {
    pooler?.stop()
    stop(mode: "immediate")
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The URL of a new database: an empty one, or a copy of another, whose connections end.
  package func newDatabase(from url: String? = nil) throws -> String {
    let name = databases.withLock { count in
      count += 1
      return "test\(count)"
    }
    let template = url.map(Self.name) ?? "template1"
    if let url { try endSessions(of: url) }
    _ = try query("CREATE DATABASE \(name) TEMPLATE \(template)", in: "postgres")
    return pooler?.url(of: name) ?? directURL(of: name)
  }

  /// The way to a database, of a URL or a name, through nothing in between.
  package func directURL(of url: String) -> String {
    "postgresql://tsugi@127.0.0.1:\(port)/\(Self.name(of: url))"
  }

  /// The name of the database that a URL leads to.
  package static func name(of url: String) -> String {
    url.split(separator: "/").last.map(String.init) ?? ""
  }

  /// Ends all sessions of a database, and waits for that.
  package func endSessions(of url: String) throws {
    try query(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
      WHERE datname = '\(Self.name(of: url))'
      """, in: "postgres")
  }

  /// What a query brings, a row a line and columns apart by `|`.
  @discardableResult
  package func query(_ sql: String, in database: String) throws -> String {
    return try Self.run(
      "\(programs)/psql", [directURL(of: database), "-v", "ON_ERROR_STOP=1", "-Atqc", sql],
      asOwner: false)
  }

  /// From now on writes each statement down that a database runs over new connections.
  package func record(_ url: String) throws {
    try query("ALTER DATABASE \(Self.name(of: url)) SET log_statement = 'all'", in: "postgres")
  }

  /// The transactions of a recorded database that have ended, each as its statements.
  package func transactions(in url: String) throws -> [[String]] {
    let name = Self.name(of: url)
    let log = try String(decoding: Data(contentsOf: URL(filePath: "\(folder)/log")), as: UTF8.self)
    var (open, ended): ([Substring: [String]], [[String]]) = ([:], [])
    for line in log.split(separator: "\n") {
      let words = line.split(separator: ",", maxSplits: 2)
      guard words.count == 3, words[1] == name,
        let execute = words[2].firstRange(of: "execute "),
        // The statement's name, `<unnamed>` for none, stands in between.
        let colon = words[2][execute.upperBound...].firstRange(of: ": ")
      else { continue }
      let text = String(words[2][colon.upperBound...])
      switch text {
      case _ where text.hasPrefix("BEGIN"): open[words[0]] = []
      case "COMMIT", "ROLLBACK": open.removeValue(forKey: words[0]).map { ended.append($0) }
      default: open[words[0]]?.append(text)
      }
    }
    return ended
  }

  /// Dumps a database to a file, beside whatever uses it. Returns the file's path.
  package func dump(_ url: String) throws -> String {
    let path = "\(folder)/dump"
    try Self.run("\(programs)/pg_dump", ["-Fc", "-f", path, directURL(of: url)])
    return path
  }

  /// Puts a dump in the place of what a database has, in one transaction.
  package func restore(_ path: String, to url: String) throws {
    try Self.run(
      "\(programs)/pg_restore", ["--clean", "--if-exists", "-1", "-d", directURL(of: url), path])
  }

  /// Begins a query and does not wait for its end.
  package func begin(_ sql: String, in url: String) throws {
    try Self.run(
      "/bin/bash",
      [
        "-c", "\"$@\" > /dev/null 2>&1 &", "bash", "\(programs)/psql", directURL(of: url), "-qc",
        sql,
      ],
      asOwner: false)
  }

  /// Runs a program to its end, by default as the user whom the database runs as. Returns what
  /// `psql` prints.
  @discardableResult
  static func run(
    _ program: String, _ arguments: [String], asOwner: Bool = true
  ) throws -> String {
    let process = Process()
    // It refuses to run as root.
    let isRoot = asOwner && getuid() == 0
    let command = (isRoot ? ["runuser", "-u", "postgres", "--", program] : [program]) + arguments
    // What it leaves running must not hold what this process waits on to end.
    let closing = """
      for path in /proc/self/fd/*; do
        number=${path##*/}
        [ "$number" -le 2 ] || eval "exec $number>&-"
      done
      exec "$@"
      """
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", closing, "bash"] + command
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    let output = Pipe()
    process.standardOutput = program.hasSuffix("psql") ? output : FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text =
      program.hasSuffix("psql") ? output.fileHandleForReading.readDataToEndOfFile() : Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
  }
}
