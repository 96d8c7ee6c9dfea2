#if PostgreSQL
  import ArgumentParser
  import Assembly
  import Feed
  import PostgreSQLStore
  import SQLiteStore
  import Sharing

  /// `tsugi store`: what is done with a store from outside.
  struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "store", abstract: "Copies or shows a store, or migrates a shared one.",
      subcommands: [StoreCopyCommand.self, StoreStatus.self, StoreMigrate.self])

    /// Whether a store is none in a file: what libpq takes besides a URL has an equals sign,
    /// `host=db dbname=tsugi`.
    fileprivate static func isShared(_ store: String) -> Bool {
      store.contains("://") || store.contains("=")
    }
  }

  /// `tsugi store copy`.
  struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "copy", abstract: "Copies a store between a file and PostgreSQL, either way.",
      discussion: """
        Feeds, proofs, sequence numbers, cursors and budgets are copied. Stop the servers of both \
        first. Each feed is read back and compared; if one differs, the copy is removed and \
        the exit code is 1.

        Example: tsugi store copy tsugi.sqlite postgresql://tsugi@db/tsugi
        """)

    @Argument(help: "The store to copy: a file, or a URL as postgresql://user@host/database.")
    var from: String

    @Argument(help: "The target, a file or a URL; it must be empty.")
    var to: String

    @Flag(help: "Delete what the target contains.")
    var replace = false

    func run() throws {
      let line = ProgressLine(stream: .error)
      let counts = try failing {
        try StoreCopy.copy(from: from, to: to, replaces: replace) { done, all in
          line.show("\(done) of \(all) feeds")
        }
      }
      line.clear()
      try StandardStream.output.writeLine(
        "copied \(counts.feeds) feeds, \(counts.places) places, \(counts.items) items, "
          + "\(counts.bytes) bytes"
      ).check()
    }
  }

  /// `tsugi store status`.
  struct StoreStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "status", abstract: "Shows what a store has: a file's or a shared one's.",
      discussion: """
        A file is only read, also while a server uses it.

        Example: tsugi store status tsugi.sqlite
        Example: tsugi store status postgresql://tsugi@db/tsugi
        """)

    @Argument(help: "The store: a file, or a URL as postgresql://user@host/database.")
    var store: String

    func run() throws {
      let lines = StoreCommand.isShared(store) ? try sharedStatus() : try fileStatus()
      try StandardStream.output.writeLine(lines.joined(separator: "\n")).check()
    }

    private func fileStatus() throws -> [String] {
      guard let glance = try failing({ try StoreGlance.of(store) }) else {
        throw StoreCopy.Failure.nothing(store)
      }
      let use = glance.isInUse ? ", in use by a server" : ""
      let sources = glance.sources.map { source in
        let left = source.remaining.map { ", \($0) calls left" } ?? ""
        return "source \(source.name): feeds \(source.feeds)\(left)"
      }
      return [
        "format \(glance.format) of \(StoreGlance.formatMax), epoch \(glance.epoch)\(use)",
        "feeds \(glance.feeds), items \(glance.items), bytes \(glance.bytes)",
      ] + sources
    }

    private func sharedStatus() throws -> [String] {
      guard let standing = try failing({ try PostgreSQLLedger(url: store).standing() }) else {
        throw StoreCopy.Failure.nothing(StoreCopy.hidden(store))
      }
      var lines = [
        "format \(standing.format), epoch \(standing.epoch)",
        "feeds \(standing.feeds), places \(standing.places)",
      ]
      for server in standing.servers {
        lines.append("server \(server.id) \(server.program), \(server.listened) feeds listened to")
      }
      for source in standing.sources {
        let left = source.remaining.map { ", \($0) calls left" } ?? ""
        lines.append("source \(source.name) at \(source.number)\(left)")
      }
      for flight in standing.flights {
        lines.append(
          "call \(flight.key) of \(flight.source) by \(flight.holder), \(flight.left) ms")
      }
      return lines
    }
  }

  /// `tsugi store migrate`.
  struct StoreMigrate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "migrate",
      abstract: "Migrates the tables of a shared store to this program's format.",
      discussion: """
        For servers without the right to change tables: "store": {"migrate": false}.

        Example: tsugi store migrate postgresql://owner@db/tsugi
        """)

    @Argument(help: "The store, as postgresql://user@host/database.")
    var url: String

    func run() throws {
      guard StoreCommand.isShared(url) else {
        throw ValidationError("a shared store is allowed; serve migrates a file")
      }
      let ledger = PostgreSQLLedger(url: url)
      let standing = try failing {
        try ledger.prepare()
        return try ledger.standing()
      }
      try StandardStream.output.writeLine("format \(standing?.format ?? 0)").check()
    }
  }

  /// Passes on what `body` does; a store's error becomes a command's.
  private func failing<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandError.assembly(.store(error))
    }
  }
#endif
