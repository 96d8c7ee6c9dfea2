import Feed
import Foundation
import Support
import Testing

@testable import SQLiteStore

@Suite struct OpeningTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  private func fill() throws -> String {
    let store = try sandbox.open()
    _ = try store.commit(merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
    return store.epoch
  }

  @Test func keepsEpochAndContentWhenOpenedAgain() throws {
    let epoch = try fill()
    let store = try TimelineDatabase(path: sandbox.path, durability: .full)
    #expect(store.epoch == epoch)
    #expect(store.setAside == nil)
    #expect(try store.standing() == "b a")
  }

  @Test func makesEpochOfEightLettersAndDigitsForEachFile() throws {
    let epochs = try (0..<20).map { number in
      try TimelineDatabase(path: "\(sandbox.directory)/\(number)", durability: .processOnly).epoch
    }
    #expect(Set(epochs).count == 20)
    #expect(epochs.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{8}/) != nil })
  }

  @Test func refusesSecondOwnerUntilClosed() throws {
    let store = try sandbox.open()
    #expect(throws: StoreError.locked(path: sandbox.path)) { try sandbox.open() }
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    store.close()
    #expect(try sandbox.open().standing() == "a")
  }

  @Test func isFreeWhenItsOwnerLetsItGo() throws {
    var store: TimelineDatabase? = try sandbox.open()
    let epoch = store?.epoch
    store = nil
    #expect(try sandbox.open().epoch == epoch)
  }

  /// A process that is started elsewhere has a copy of each descriptor until it runs its program.
  @Test func isFreeWhileAChildHasACopyOfItsLock() throws {
    var store: TimelineDatabase? = try sandbox.open()
    let epoch = store?.epoch
    let lock = "\(sandbox.path)-lock"
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let copies = descriptors.compactMap(Int32.init).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == lock
    }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    store = nil
    #expect(try sandbox.open().epoch == epoch)
  }

  @Test func emptiesLogWhenClosed() throws {
    _ = try fill()
    let names = try sandbox.files
    #expect(!names.contains("tsugi.sqlite-wal"))
  }

  @Test func keepsReadersGoingAfterClose() throws {
    let store = try sandbox.open()
    _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
    let reader = try store.makeReader()
    store.close()
    #expect(try reader.hasElement(of: items, below: .top, above: .bottom))
  }

  @Test func refusesNewerVersionAndLeavesItAsItIs() throws {
    _ = try fill()
    let newer = Schema.version + 3
    try Connection(path: sandbox.path, access: .readWrite)
      .execute("PRAGMA user_version = \(newer)")
    let before = try sandbox.bytes(sandbox.path)
    #expect(throws: StoreError.newerVersion(version: newer, supported: Schema.version)) {
      try sandbox.open()
    }
    #expect(try sandbox.bytes(sandbox.path) == before)
  }

  @Test(arguments: [0, -1, Int32.min])
  func setsAsideAFileOfAVersionThatNeverWas(_ version: Int32) throws {
    let epoch = try fill()
    try Connection(path: sandbox.path, access: .readWrite)
      .execute("PRAGMA user_version = \(version)")
    let store = try sandbox.open()
    #expect(store.setAside == "\(sandbox.path).corrupt-1")
    #expect(store.epoch != epoch)
  }

  @Test func refusesAnotherProgramsDatabaseAndLeavesItAsItIs() throws {
    try Connection(path: sandbox.path, access: .readWrite).execute("CREATE TABLE theirs (a)")
    let before = try sandbox.bytes(sandbox.path)
    let error = #expect(throws: StoreError.self) { try sandbox.open() }
    guard case .failed(_, let message) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message == "\(sandbox.path) is another program's database, not a Tsugi store")
    #expect(try sandbox.bytes(sandbox.path) == before)
    #expect(try sandbox.files == ["tsugi.sqlite", "tsugi.sqlite-lock"])
  }

  @Test func saysWhereItCannotOpen() throws {
    let path = "\(sandbox.directory)/no/such.sqlite"
    #expect(throws: StoreError.noFolder(path: path)) { try TimelineDatabase(path: path) }
  }

  private static let noDatabases = [
    "n", "not a database", String(repeating: "SQLite format 3 or so. ", count: 999),
  ]

  @Test(arguments: noDatabases)
  func refusesWhatWasNeverADatabaseAndLeavesItAsItIs(text: String) throws {
    try sandbox.write(text.utf8, to: sandbox.path)
    for _ in 0..<2 {
      #expect(throws: StoreError.foreign(path: sandbox.path)) { try sandbox.open() }
      #expect(try sandbox.bytes(sandbox.path) == Array(text.utf8))
      #expect(try sandbox.files == ["tsugi.sqlite"])
    }
  }

  @Test func beginsInAnEmptyFile() throws {
    try sandbox.write("".utf8, to: sandbox.path)
    let store = try sandbox.open()
    #expect(store.setAside == nil)
    #expect(try store.standing() == "")
  }

  /// A store's lock stays beside it, so what stands there was one.
  @Test(arguments: noDatabases[1...])
  func setsAsideAStoreThatIsNoDatabaseAnyMore(text: String) throws {
    _ = try fill()
    try sandbox.write(text.utf8, to: sandbox.path)
    let store = try sandbox.open()
    #expect(store.setAside == "\(sandbox.path).corrupt-1")
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-1") == Array(text.utf8))
    #expect(try store.standing() == "")
  }

  /// Where damage is done: in a table's root page, in the middle, or all but the first page gone.
  enum Damage: CaseIterable {
    case rootPage, everyPage, cutShort

    func done(to bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .rootPage:
        bytes[..<(3 * 16384)] + [UInt8](repeating: 0xa5, count: 16384) + bytes[(4 * 16384)...]
      case .everyPage: bytes[..<100] + [UInt8](repeating: 0xa5, count: bytes.count - 100)
      case .cutShort: Array(bytes[..<16384])
      }
    }
  }

  @Test(arguments: Damage.allCases)
  func setsDamagedFileAsideWithItsBytes(damage: Damage) throws {
    let epoch = try fill()
    let damaged = damage.done(to: try sandbox.bytes(sandbox.path))
    try sandbox.write(damaged, to: sandbox.path)
    let store = try sandbox.open()
    #expect(store.setAside == "\(sandbox.path).corrupt-1")
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-1") == damaged)
    #expect(store.epoch != epoch)
    #expect(try store.standing() == "")
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("a", 1)]), budget: nil) == 1)
  }

  @Test func keepsTheFirstAndTheLastFileSetAside() throws {
    _ = try fill()
    for number in 1...4 {
      try sandbox.write("damaged \(number)".utf8, to: sandbox.path)
      #expect(try sandbox.open().setAside == "\(sandbox.path).corrupt-\(min(number, 2))")
    }
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-1") == Array("damaged 1".utf8))
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-2") == Array("damaged 4".utf8))
    let kept = try sandbox.files.filter { $0.contains("corrupt") }
    #expect(kept.count == 2)
  }

  @Test func setsLogWithoutItsFileAside() throws {
    try sandbox.write("a log".utf8, to: "\(sandbox.path)-wal")
    let store = try sandbox.open()
    #expect(store.setAside == "\(sandbox.path).corrupt-1")
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-1-wal") == Array("a log".utf8))
  }

  @Test func marksDamageMetAtWorkForTheNextOpening() throws {
    _ = try fill()
    let bytes = try sandbox.bytes(sandbox.path)
    let store = try sandbox.open()
    let reader = try store.makeReader()
    try sandbox.write(Damage.everyPage.done(to: bytes), to: sandbox.path)
    let error = #expect(throws: StoreError.self) {
      try reader.elements(of: items, below: .top, above: .bottom, limit: 1)
    }
    #expect(error?.isDamage == true)
    #expect(try sandbox.files.contains("tsugi.sqlite-damaged"))
    store.close()
    #expect(try sandbox.open().setAside != nil)
    #expect(try !sandbox.files.contains("tsugi.sqlite-damaged"))
  }

  @Test func dropsMarkWhenWholeFileIsSound() throws {
    let epoch = try fill()
    try sandbox.write([], to: "\(sandbox.path)-damaged")
    #expect(try sandbox.open().epoch == epoch)
    #expect(try !sandbox.files.contains("tsugi.sqlite-damaged"))
  }
}

/// Who may have a file, and who may read it.
@Suite struct OwnershipTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
  }

  private func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Other names of one store; each makes it for a store that is open.
  static let names: [@Sendable (Sandbox, String) throws -> Void] = [
    { sandbox, name in try sandbox.link(name, to: sandbox.path) },
    { sandbox, name in try FileManager.default.linkItem(atPath: sandbox.path, toPath: name) },
    { sandbox, name in
      try FileManager.default.createSymbolicLink(
        atPath: sandbox.directory + "/again", withDestinationPath: sandbox.directory)
      try sandbox.link(name, to: sandbox.directory + "/again/tsugi.sqlite")
    },
  ]

  @Test(arguments: names.indices)
  func oneStoreHasOneOwnerWhateverItIsCalled(_ index: Int) throws {
    let store = try sandbox.open()
    let name = sandbox.directory + "/other.sqlite"
    try Self.names[index](sandbox, name)
    #expect {
      _ = try TimelineDatabase(path: name, durability: .processOnly)
    } throws: { error in
      if case StoreError.locked = error { true } else { false }
    }
    store.close()
    _ = try TimelineDatabase(path: name, durability: .processOnly)
  }

  @Test func aRemovedLockFileLetsNobodyIn() throws {
    let store = try sandbox.open()
    try sandbox.remove(sandbox.path + "-lock")
    #expect(throws: StoreError.locked(path: sandbox.path)) { try sandbox.open() }
    store.close()
    _ = try sandbox.open()
  }

  @Test func nobodyElseMayReadIt() throws {
    let former = umask(0o022)
    defer { umask(former) }
    // A file of an earlier version.
    try sandbox.write([], to: sandbox.path)
    for _ in 0..<2 {
      let store = try sandbox.open()
      _ = try store.commit(merge(sentAt: 10, seen: [seen("a", 1)]), budget: nil)
      for suffix in ["", "-wal", "-shm", "-lock"] {
        #expect(try mode(of: sandbox.path + suffix) & 0o007 == 0)
      }
      store.close()
      try sandbox.remove(sandbox.path)
    }
    let store = try sandbox.open()
    #expect(try mode(of: sandbox.path) == 0o600)
    store.close()
  }

  @Test func aFileThatWasRemovedDoesNotWork() throws {
    let store = try sandbox.open()
    try store.check()
    try FileManager.default.moveItem(atPath: sandbox.path, toPath: sandbox.path + ".gone")
    #expect(throws: StoreError.self) { try store.check() }
    try FileManager.default.moveItem(atPath: sandbox.path + ".gone", toPath: sandbox.path)
    try store.check()
  }

  /// Damage in what the store rests on, in a file too large to be checked whole at each opening.
  @Test(arguments: [
    "UPDATE store SET epoch = 'k3f9''x0a'", "DROP TABLE proof", "DELETE FROM store",
    "DROP TABLE store",
  ])
  func aFileThatCannotBeUsedIsSetAsideOnce(_ sql: String) throws {
    try sandbox.open().close()
    try Connection(path: sandbox.path, access: .readWrite).execute(sql)
    let store = try sandbox.open()
    #expect(store.setAside == sandbox.path + ".corrupt-1")
    let epoch = store.epoch
    store.close()
    let again = try sandbox.open()
    #expect(again.setAside == nil && again.epoch == epoch)
  }

  @Test func forgetsWhatAClockThatSlippedNoted() throws {
    let present = instant(1_000_000)
    let slipped = instant(2_000_000_000)
    let store = try sandbox.open()
    var timeline = Timeline()
    timeline.lookedAt = slipped
    timeline.total = Total(value: 1, asOf: slipped)
    timeline.proofs = [
      Proof(upper: .top, lower: .bottom, provenAt: slipped, count: 1, rankBelow: 1)
    ]
    var merge = merge(sentAt: 2_000_000_000, seen: [seen("a", 1)])
    merge.timeline = timeline
    _ = try store.commit(
      merge, budget: Budget(limit: 60, remaining: 0, resetAt: slipped, spentAt: slipped))
    store.close()
    let later = try TimelineDatabase(path: sandbox.path, durability: .processOnly, now: present)
    let found = try #require(try later.timeline(of: items))
    #expect(found.lookedAt == nil && found.total == nil)
    #expect(found.proofs.map(\.provenAt) == [Timestamp(milliseconds: 0)])
    #expect(try later.budget(of: "qiita")?.spentAt == nil)
    // What is told now is believed.
    _ = try later.commit(
      SQLiteStoreTests.merge(sentAt: 1_000_000, seen: [seen("a", 1, content: "now")]), budget: nil)
    #expect(try later.content("a") == "now")
  }
}
