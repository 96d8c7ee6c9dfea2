import Feed
import Foundation
import Glibc
import History
import Support
import Testing

@testable import SQLiteStore

/// A process that writes and is killed at many random moments.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
  /// What was printed of one feed, over all processes.
  private struct Told {
    /// The element that each number was told of.
    var numbers: [Int64: String] = [:]
    /// The walk under way: its ids, the round of its earliest proof, and where it goes on.
    var walk: [String] = []
    var firstRound = Int.max
    var cursor: [String]?
    var walksEnded = 0
    var slices = 0
  }

  @Test func everythingToldStandsAfterKill9AtManyRandomMoments() throws {
    let sandbox = try Sandbox()
    var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
    var told = ["items": Told(), "followers": Told()]
    let rounds = Extent.isAll ? 200 : 60
    for round in 1...rounds {
      // For some rounds the one, so that its walk comes to an end before it goes for the other.
      let feed = round / 12 % 2 == 0 ? "items" : "followers"
      let lines = try WritingProcess.run(
        [sandbox.path, "\(round)", feed] + (told[feed]?.cursor ?? []),
        untilSlices: Int.random(in: 0...3, using: &random),
        andMicroseconds: UInt32.random(in: 0...15_000, using: &random))
      for line in lines {
        try take(line, of: feed, in: round, &told)
      }
      try check(sandbox, told, "round \(round)")
    }
    for (feed, told) in told {
      #expect(told.walksEnded >= rounds / 60 && told.slices > rounds / 4, "\(feed): \(told)")
      // What is merely learnt takes none.
      #expect(told.numbers.count > rounds, "\(feed)")
    }
  }

  private func take(
    _ line: String, of feed: String, in round: Int, _ all: inout [String: Told]
  ) throws {
    var told = try #require(all[feed])
    defer { all[feed] = told }
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "began": break
    case "told":
      let number = try #require(Int64(words[1]))
      #expect(told.numbers[number] ?? words[2] == words[2], "\(feed) \(number)")
      told.numbers[number] = words[2]
    case "slice":
      told.slices += 1
      told.walk += words.count > 6 ? words[6].split(separator: ",").map(String.init) : []
      told.firstRound = min(told.firstRound, try #require(Int(words[1])))
      told.cursor = [words[3], words[4], words[5]]
    case "expired":
      #expect(feed == "followers")
      #expect(Set(told.walk).count == told.walk.count)
      begin(&told)
    case "ended":
      checkWalk(told, endedIn: round, "\(feed), round \(round)")
      told.walksEnded += 1
      begin(&told)
    default: Issue.record("\(line)")
    }
  }

  private func begin(_ told: inout Told) {
    told.walk = []
    told.firstRound = .max
    told.cursor = nil
  }

  /// The promise: what was there all the time came once, all else at most once.
  private func checkWalk(_ told: Told, endedIn round: Int, _ when: Comment) {
    let delivered = Set(told.walk)
    #expect(delivered.count == told.walk.count, when)
    let owed = (0..<RoundedFeed.countAtFirst + 3 * round).filter { number in
      let presence = RoundedFeed.presence(of: number)
      return presence.lowerBound <= told.firstRound && presence.upperBound > round
    }
    let missing = owed.map { RoundedFeed.identity(of: $0).text }.filter { !delivered.contains($0) }
    #expect(missing.isEmpty, when)
  }

  /// Looks at a copy of what the killed process left, so that the next one has to mend it itself.
  private func check(_ sandbox: Sandbox, _ told: [String: Told], _ when: Comment) throws {
    let copy = try Sandbox()
    for companion in ["", "-wal"] {
      guard try sandbox.files.contains("tsugi.sqlite\(companion)") else { continue }
      try copy.write(sandbox.bytes(sandbox.path + companion), to: copy.path + companion)
    }
    let connection = try Connection(path: copy.path, access: .readWrite)
    #expect(try connection.text("PRAGMA integrity_check") == "ok", when)
    guard try connection.integer("PRAGMA user_version") == Int64(Schema.version) else { return }
    for (name, told) in told {
      let path = name == "items" ? "qiita/items" : "qiita/users/a/followers"
      let last = try connection.integer(
        """
        SELECT coalesce((SELECT sequence FROM feed WHERE name = '\(path)'),
          (SELECT sequence_floor FROM store))
        """)
      #expect(told.numbers.keys.max() ?? 0 <= last, when)
      let rows = try connection.prepare(
        """
        SELECT sequence, id FROM element
        WHERE sequence > 0 AND feed = (SELECT key FROM feed WHERE name = '\(path)')
        """)
      while try rows.step() {
        let id = String(decoding: try rows.bytes(1), as: UTF8.self)
        #expect(told.numbers[rows.integer(0)] ?? id == id, when)
      }
    }
  }
}

/// The writing program, started, listened to and killed.
private enum WritingProcess {
  struct Failure: Error {
    var call: String
    var number: Int32
  }

  /// Runs it until it has said so much, and so long after, kills it, and gives the whole lines it
  /// wrote.
  static func run(
    _ arguments: [String], untilSlices count: Int, andMicroseconds delay: UInt32
  ) throws -> [String] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(call: "pipe", number: errno) }
    let process = try spawn(arguments, output: ends[1], others: ends[0])
    close(ends[1])
    defer { close(ends[0]) }
    var bytes: [UInt8] = []
    while slices(in: bytes) < count || bytes.isEmpty, let more = try readSome(ends[0]) {
      bytes += more
    }
    usleep(delay)
    kill(process, SIGKILL)
    while let more = try readSome(ends[0]) { bytes += more }
    var status: Int32 = 0
    guard waitpid(process, &status, 0) == process else {
      throw Failure(call: "waitpid", number: errno)
    }
    guard status & 0x7f == SIGKILL else {
      throw Failure(call: String(decoding: bytes.suffix(200), as: UTF8.self), number: status)
    }
    // The last line may have been cut short.
    let whole = bytes[..<(bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)]
    return String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func spawn(
    _ arguments: [String], output: Int32, others: Int32
  ) throws -> pid_t {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: program).deletingLastPathComponent()
      .appendingPathComponent("StoreWriter").path
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addclose(&actions, output)
    posix_spawn_file_actions_addclose(&actions, others)
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, nil, &words, environ)
    guard code == 0 else { throw Failure(call: "posix_spawn \(path)", number: code) }
    return process
  }

  private static func slices(in bytes: [UInt8]) -> Int {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").count { $0.hasPrefix("slice") }
  }

  /// What there is to read; nil at the end.
  private static func readSome(_ descriptor: Int32) throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw Failure(call: "read", number: errno) }
    return count == 0 ? nil : Array(buffer[..<count])
  }
}
