import Feed
import Glibc
import PostgreSQLStore
import SQLiteStore

/// A store to copy from or to: a file or a shared store.
package final class StoreCopy: Sendable {
  private enum Medium: Sendable {
    case file(TimelineDatabase, path: String)
    case shared(PostgreSQLLedger)
  }
  private let medium: Medium

  /// What was copied, counted on both sides.
  package struct Counts: Hashable, Sendable {
    /// Feeds.
    package var feeds = 0
    /// Places, tombstones included.
    package var places = 0
    /// Items, each once for every feed it stands in.
    package var items = 0
    /// Bytes of their contents.
    package var bytes = 0
  }

  /// Why a copy failed.
  package enum Failure: Error, CustomStringConvertible {
    /// The target is not empty.
    case notEmpty(String)
    /// Servers use it.
    case inUse(String, servers: Int)
    /// A feed differs after the copy.
    case differs(feed: String)
    /// There is no store there.
    case nothing(String)

    package var description: String {
      switch self {
      case .notEmpty(let name): "\(name) is not empty; --replace deletes its contents"
      case .inUse(let name, let servers): "\(servers) servers use \(name); stop them first"
      case .differs(let feed): "\(feed) differs after the copy; the copy was removed"
      case .nothing(let name): "there is no store at \(name)"
      }
    }
  }

  private init(_ medium: Medium) {
    self.medium = medium
  }

  /// Whether a name is a URL of PostgreSQL, not a file.
  private static func isShared(_ name: String) -> Bool {
    name.hasPrefix("postgres://") || name.hasPrefix("postgresql://")
  }

  /// Copies a store to another one. `progress` gets the number of copied feeds and of all. After a
  /// failure the target is empty, as before.
  package static func copy(
    from: String, to target: String, replaces: Bool,
    progress: (_ done: Int, _ all: Int) -> Void
  ) throws -> Counts {
    let from = try StoreCopy.source(from)
    let partial = isShared(target) ? target : target + ".partial"
    let to = try StoreCopy.target(target, partial: partial, replaces: replaces)
    do {
      let counts = try from.copyAll(to: to, progress)
      try to.finish(as: target, floor: try from.floor)
      return counts
    } catch {
      to.abandon()
      throw error
    }
  }

  /// A store to copy from. No server may use it.
  private static func source(_ name: String) throws -> StoreCopy {
    guard isShared(name) else {
      guard access(name, R_OK) == 0 else { throw Failure.nothing(name) }
      return StoreCopy(.file(try TimelineDatabase(path: name), path: name))
    }
    let ledger = PostgreSQLLedger(url: name)
    guard let standing = try ledger.standing() else { throw Failure.nothing(hidden(name)) }
    try refuseServers(standing, hidden(name))
    return StoreCopy(.shared(ledger))
  }

  private static func target(_ name: String, partial: String, replaces: Bool) throws -> StoreCopy {
    guard isShared(name) else {
      guard replaces || access(name, F_OK) != 0 else { throw Failure.notEmpty(name) }
      for suffix in ["", "-wal", "-shm", "-lock"] { unlink(partial + suffix) }
      return StoreCopy(.file(try TimelineDatabase(path: partial, isCopy: true), path: partial))
    }
    let ledger = PostgreSQLLedger(url: name)
    try ledger.prepare()
    if let standing = try ledger.standing() {
      try refuseServers(standing, hidden(name))
      guard replaces || standing.feeds == 0 else { throw Failure.notEmpty(hidden(name)) }
    }
    return StoreCopy(.shared(ledger))
  }

  private static func refuseServers(
    _ standing: PostgreSQLLedger.Standing, _ name: String
  ) throws {
    guard standing.servers.isEmpty else {
      throw Failure.inUse(name, servers: standing.servers.count)
    }
  }

  /// A URL without user and password.
  package static func hidden(_ url: String) -> String {
    guard let scheme = url.firstIndex(of: ":"), let at = url.lastIndex(of: "@") else { return url }
    return url[...scheme] + "//" + url[url.index(after: at)...]
  }

  private var epoch: String {
    get throws {
      switch medium {
      case .file(let file, _): SequenceNumber.told(file.epoch)
      case .shared(let ledger): try ledger.standing()?.epoch ?? ""
      }
    }
  }

  private var floor: Int64 {
    get throws {
      switch medium {
      case .file(let file, _): try file.sequenceFloor()
      case .shared(let ledger): try ledger.standing()?.floor ?? 0
      }
    }
  }

  private func copyAll(to: StoreCopy, _ progress: (Int, Int) -> Void) throws -> Counts {
    try to.begin(epoch: try epoch, floor: try floor)
    let names = try feedNames()
    var counts = Counts()
    for (done, name) in names.enumerated() {
      progress(done, names.count)
      guard var rows = try image(of: name) else { continue }
      if rows.feed.version == 0 { rows.feed.version = 1 }
      rows.feed.stamp = .random(in: .min ... .max)
      try to.put(rows)
      guard let there = try to.image(of: name), there.isSame(as: rows) else {
        throw Failure.differs(feed: name)
      }
      counts.feeds += 1
      counts.places += rows.elements.count
      counts.items += rows.items.count
      counts.bytes += rows.contents.values.reduce(0) { $0 + $1.count }
    }
    for (name, budget) in try budgets() { try to.put(budget, named: name) }
    progress(names.count, names.count)
    return counts
  }

  private func feedNames() throws -> [String] {
    switch medium {
    case .file(let file, _): try file.feeds().map(\.name).sorted()
    case .shared(let ledger): try ledger.feedNames()
    }
  }

  private func image(of name: String) throws -> SharedRows? {
    switch medium {
    case .file(let file, _): try file.image(of: name)
    case .shared(let ledger): try ledger.image(of: name)
    }
  }

  private func budgets() throws -> [String: Budget] {
    switch medium {
    case .shared(let ledger): return try ledger.budgets()
    case .file(let file, _):
      var budgets: [String: Budget] = [:]
      for name in try file.budgetNames() { budgets[name] = try file.budget(of: name) }
      return budgets
    }
  }

  private func begin(epoch: String, floor: Int64) throws {
    switch medium {
    case .file(let file, _): try file.begin(epoch)
    case .shared(let ledger): try ledger.clear(epoch: epoch, floor: floor)
    }
  }

  private func put(_ rows: SharedRows) throws {
    switch medium {
    case .shared(let ledger): try ledger.put(rows)
    case .file(let file, _):
      var news = StoreNews(source: rows.feed.source, number: 0, epoch: file.epoch)
      news.feeds = [.rows(rows)]
      try file.take(news)
    }
  }

  private func put(_ budget: Budget, named name: String) throws {
    switch medium {
    case .shared(let ledger): try ledger.keep(budget, named: name)
    case .file(let file, _): try file.keep(budget, of: name)
    }
  }

  private func finish(as target: String, floor: Int64) throws {
    guard case .file(let file, let path) = medium else { return }
    try file.becomeOwn(floor: floor)
    file.close()
    for suffix in ["-wal", "-shm"] { unlink(target + suffix) }
    guard rename(path, target) == 0 else {
      throw StoreError.failed(code: errno, message: "renaming \(path)")
    }
    unlink(path + "-lock")
  }

  private func abandon() {
    switch medium {
    // If it cannot be cleared, the next copy says so.
    case .shared(let ledger): _ = try? ledger.clear(epoch: SequenceNumber.madeEpoch(), floor: 0)
    case .file(let file, let path):
      file.close()
      for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }
  }
}

extension SharedRows {
  /// Whether these are the same rows, in any order.
  fileprivate func isSame(as other: SharedRows) -> Bool {
    let elements = { (rows: SharedRows) in
      rows.elements.sorted { $0.known.position < $1.known.position }
    }
    let items = { (rows: SharedRows) in rows.items.sorted { $0.id < $1.id } }
    var timeline = other.feed.timeline
    timeline.epoch = feed.timeline.epoch
    return feed.timeline == timeline && feed.changesFloor == other.feed.changesFloor
      && elements(self) == elements(other) && items(self) == items(other)
      && contents == other.contents
  }
}
