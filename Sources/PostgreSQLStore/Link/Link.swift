import CPostgreSQL
import Feed
import Glibc

/// What a statement failed with.
enum SQLFailure: Error {
  /// The connection is lost, or did not come about in time; what came through is unknown.
  case lost(String)
  /// The server refused the connection, as one whose password or database is wrong; `state` is its
  /// SQLSTATE.
  case denied(state: String, message: String)
  /// The server refused a statement, and did nothing of what was sent with it. `state` is its
  /// SQLSTATE.
  case refused(state: String, message: String)
  /// A fence of this table did not hold, and nothing was done: a value that is no more what was
  /// known makes a column NULL, or a row one too many.
  case fenced(table: String)
}

/// One connection to PostgreSQL. Its calls block, at most ``deadline``. Not for two threads at a
/// time.
///
/// Statements are sent with their parameters, several together, so that a transaction is one way
/// there and back.
final class Link {
  /// How long a call waits, in milliseconds: then the connection is closed.
  static let deadline: Int32 = 2_000
  /// How long a statement waits for a lock, in milliseconds. Two tries take less than a second:
  /// that is what other requests of the source wait meanwhile.
  static let lockWait = 400

  private let handle: OpaquePointer
  /// Whether nothing was lost so far.
  private(set) var isSound = true
  private var names = NamedStatements()

  /// Connects to what a URL, or a list of `keyword=value`, names (libpq, 34.1.1).
  init(_ url: String) throws(SQLFailure) {
    let settings = [
      "dbname": url, "connect_timeout": "2", "tcp_user_timeout": "3000", "keepalives_idle": "10",
      "keepalives_interval": "3", "keepalives_count": "3", "application_name": "tsugi",
      "client_encoding": "UTF8",
    ]
    // The first is read as a whole; those after it count instead of what it says.
    let names = ["dbname"] + settings.keys.filter { $0 != "dbname" }.sorted()
    let keywords = names.map { strdup($0) }
    let values = names.map { strdup(settings[$0] ?? "") }
    defer { for text in keywords + values { free(text) } }
    let opened = PQconnectStartParams(
      keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    guard let opened else { throw .lost("out of memory") }
    handle = opened
    // Notices go nowhere: they are no lines of the log, and a failure has its own error. Only
    // this way they are set before the server says anything, and `connect_timeout` holds.
    PQsetNoticeProcessor(opened, { _, _ in }, nil)
    PQsetErrorVerbosity(opened, PQERRORS_VERBOSE)
    PQreset(opened)
    guard PQstatus(opened) == CONNECTION_OK else {
      throw Link.denial(in: message).map { .denied(state: $0, message: message) } ?? .lost(message)
    }
    PQsetErrorVerbosity(opened, PQERRORS_DEFAULT)
    PQsetnonblocking(opened, 1)
  }

  /// The SQLSTATE in what libpq says of a connection that the server refused:
  /// `… failed: FATAL:  28P01: password authentication failed …`; nil where it refused none.
  static func denial(in message: String) -> String? {
    message.split(separator: " ").lazy.filter { $0.hasSuffix(":") }.map { $0.dropLast() }
      .first(where: isState).map(String.init)
  }

  /// Five digits and capitals, a digit among them.
  private static func isState(_ word: Substring) -> Bool {
    let digits: ClosedRange<UInt8> = 0x30...0x39
    let capitals: ClosedRange<UInt8> = 0x41...0x5A
    return word.utf8.count == 5 && word.utf8.contains(where: digits.contains)
      && word.utf8.allSatisfy { digits.contains($0) || capitals.contains($0) }
  }

  /// Whether libpq can read a text as a URL or a list of `keyword=value` (libpq, 34.1.1).
  static func reads(_ url: String) -> Bool {
    guard let options = PQconninfoParse(url, nil) else { return false }
    PQconninfoFree(options)
    return true
  }

  deinit {
    PQfinish(handle)
  }

  /// What libpq says of the last failure: the first line. It names the host and never the password.
  private var message: String { String(cString: PQerrorMessage(handle)).firstLine }

  /// Whether the server has said something since the last call: that it ends the connection, as
  /// after `idle_session_timeout` or `pg_terminate_backend`. Not for a connection that listens.
  var hasEnded: Bool {
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) != 0
  }

  /// Runs statements in one transaction, in one way there and back; at the engine's own level of
  /// isolation unless one is named, since any will do. Returns what each brought.
  func transaction(
    _ statements: [SQL], mode: String? = nil
  ) throws(SQLFailure) -> [SQLResult] {
    let begin = [
      SQL("BEGIN" + (mode.map { " ISOLATION LEVEL \($0)" } ?? "")),
      SQL(
        """
        SELECT set_config('lock_timeout', '\(Link.lockWait)', true),
          set_config('statement_timeout', '2s', true),
          set_config('idle_in_transaction_session_timeout', '2s', true)
        """),
    ]
    let sent = begin + statements + [SQL("COMMIT")]
    do throws(SQLFailure) {
      return Array(try pipeline(sent).dropFirst(begin.count).dropLast())
    } catch {
      guard isSound else { throw error }
      let isOfNames = names.end(after: error)
      _ = try? pipeline([SQL("ROLLBACK")])
      guard isOfNames else { throw error }
      return try transaction(statements, mode: mode)
    }
  }

  /// Runs one statement, in a transaction of its own: the limits of its waits hold there.
  func run(_ statement: SQL) throws(SQLFailure) -> SQLResult {
    let results = try transaction([statement])
    guard let result = results.first else { throw .lost("no answer") }
    return result
  }

  /// Sends statements together; where one is refused, those after it do nothing.
  private func pipeline(_ statements: [SQL]) throws(SQLFailure) -> [SQLResult] {
    let end = Clock.now + Int64(Link.deadline)
    guard PQenterPipelineMode(handle) == 1 else { throw lose() }
    // What each result is of: a name where PostgreSQL takes one, else a statement.
    var taken: [Int64?] = []
    for statement in statements {
      let sending = names.sending(statement.text)
      if case .named(let name, isNew: true) = sending {
        guard PQsendPrepare(handle, Link.name(name), statement.text, 0, nil) == 1 else {
          throw lose()
        }
        taken.append(name)
      }
      try send(statement, sending)
      taken.append(nil)
    }
    guard PQpipelineSync(handle) == 1 else { throw lose() }
    var results: [SQLResult] = []
    var failure: SQLFailure?
    var rest = taken[...]
    while let result = try next(until: end) {
      let name = rest.popFirst() ?? nil
      switch PQresultStatus(result) {
      case PGRES_PIPELINE_SYNC:
        PQclear(result)
        // Nothing is on its way any more.
        guard PQexitPipelineMode(handle) == 1 else { throw lose() }
        if let failure { throw failure }
        return results
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
        if name == nil {
          results.append(SQLResult(owning: result))
        } else {
          PQclear(result)
        }
      default:
        if let name { names.remove(name) }
        if PQresultStatus(result) != PGRES_PIPELINE_ABORTED {
          failure = failure ?? Link.failure(in: result)
        }
        PQclear(result)
      }
    }
    throw lose()
  }

  private static func name(_ name: Int64) -> String {
    "tsugi_" + String(UInt64(bitPattern: name), radix: 16)
  }

  private static func failure(in result: OpaquePointer) -> SQLFailure {
    func field(_ code: Unicode.Scalar) -> String {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } ?? ""
    }
    switch field("C") {
    case "23502", "23505": return .fenced(table: field("t"))
    case let state:
      return .refused(
        state: state, message: String(cString: PQresultErrorMessage(result)).firstLine)
    }
  }

  private func send(
    _ statement: SQL, _ sending: NamedStatements.Sending
  ) throws(SQLFailure) {
    // All values one after the other: a text ends with a NUL, of bytes the length counts.
    var bytes: [UInt8] = []
    var places: [Int?] = []
    var lengths: [Int32] = []
    var formats: [Int32] = []
    for value in statement.parameters {
      places.append(value.map { _ in bytes.count })
      switch value {
      case .text(let text):
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        lengths.append(0)
        formats.append(0)
      case .binary(let value):
        bytes.append(contentsOf: value)
        lengths.append(Int32(clamping: value.count))
        formats.append(1)
      case nil:
        lengths.append(0)
        formats.append(0)
      }
    }
    // No array without a byte has an address.
    bytes.append(0)
    let count = Int32(places.count)
    let isSent = bytes.withUnsafeBytes { bytes -> Int32 in
      let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      let values = places.map { place in place.flatMap { start?.advanced(by: $0) } }
      return switch sending {
      case .unnamed:
        PQsendQueryParams(handle, statement.text, count, nil, values, lengths, formats, 1)
      case .named(let name, _):
        PQsendQueryPrepared(handle, Link.name(name), count, values, lengths, formats, 1)
      }
    }
    guard isSent == 1 else { throw lose() }
  }

  /// The next result; the ends of statements, for which libpq returns no result, are passed over.
  private func next(until end: Int64) throws(SQLFailure) -> OpaquePointer? {
    var ends = 0
    while true {
      let unsent = PQflush(handle)
      guard unsent >= 0 else { throw lose() }
      while PQisBusy(handle) == 1 {
        try wait(until: end, toSend: PQflush(handle) > 0)
        guard PQconsumeInput(handle) == 1 else { throw lose() }
      }
      if let result = PQgetResult(handle) { return result }
      ends += 1
      guard ends < 3 else { return nil }
    }
  }

  private func wait(until end: Int64, toSend: Bool) throws(SQLFailure) {
    var descriptor = pollfd(
      fd: PQsocket(handle), events: Int16(POLLIN | (toSend ? POLLOUT : 0)), revents: 0)
    let left = end - Clock.now
    guard left > 0, poll(&descriptor, 1, Int32(left)) != 0 else {
      throw lose("no answer within \(Link.deadline) ms")
    }
  }

  private func lose(_ reason: String? = nil) -> SQLFailure {
    isSound = false
    return .lost(reason ?? message)
  }

  // MARK: Notifications

  /// Waits for notifications, so many milliseconds at most. Returns what they say.
  func notifications(waiting milliseconds: Int32) throws(SQLFailure) -> [String] {
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    _ = poll(&descriptor, 1, milliseconds)
    guard PQconsumeInput(handle) == 1 else { throw lose() }
    var told: [String] = []
    while let notification = PQnotifies(handle) {
      told.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return told
  }
}

/// A clock that only goes on, in milliseconds.
private enum Clock {
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}

extension String {
  fileprivate var firstLine: String { split(separator: "\n").first.map(String.init) ?? self }
}
