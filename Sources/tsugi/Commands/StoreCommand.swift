#if PostgreSQL
  import ArgumentParser
  import Assembly
  import Feed
  import PostgreSQLStore
  import Sharing

  /// `tsugi store`: what is done with a store from outside.
  struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "store", abstract: "Copies a store, or looks at one that several servers share.",
      subcommands: [StoreCopyCommand.self, StoreStatus.self, StoreMigrate.self])
  }

  /// `tsugi store copy`.
  struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "copy", abstract: "Copies a store: a file or a PostgreSQL, either way.",
      discussion: """
        Feeds, proofs, numbers, cursors and budgets stay what they are. Nobody may be at work in \
        either. Each feed is read back and compared; where one differs, nothing is left there and \
        the exit code is 1.

        Example: tsugi store copy tsugi.sqlite postgresql://tsugi@db/tsugi
        """)

    @Argument(help: "The store to copy: a file, or a URL as postgresql://user@host/database.")
    var from: String

    @Argument(help: "Where it goes, in the same way; it must be empty.")
    var to: String

    @Flag(help: "Take away what is there.")
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
      commandName: "status", abstract: "Says how a store stands that several servers share.",
      discussion: "Example: tsugi store status postgresql://tsugi@db/tsugi")

    @Argument(help: "The store, as postgresql://user@host/database.")
    var url: String

    func run() throws {
      guard let standing = try failing({ try PostgreSQLLedger(url: url).standing() }) else {
        throw StoreCopy.Failure.nothing(StoreCopy.hidden(url))
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
      try StandardStream.output.writeLine(lines.joined(separator: "\n")).check()
    }
  }

  /// `tsugi store migrate`.
  struct StoreMigrate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "migrate",
      abstract: "Brings the tables that several servers share to what this program needs.",
      discussion: """
        For servers that may not change tables themselves: "store": {"migrate": false}.

        Example: tsugi store migrate postgresql://owner@db/tsugi
        """)

    @Argument(help: "The store, as postgresql://user@host/database.")
    var url: String

    func run() throws {
      let ledger = PostgreSQLLedger(url: url)
      let standing = try failing {
        try ledger.prepare()
        return try ledger.standing()
      }
      try StandardStream.output.writeLine("format \(standing?.format ?? 0)").check()
    }
  }

  /// Passes on what `body` does; what a store says of its failure is told as a command's.
  private func failing<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as StoreError {
      throw CommandError.assembly(.store(error))
    }
  }
#endif
