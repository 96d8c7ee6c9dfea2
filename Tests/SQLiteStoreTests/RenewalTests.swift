import Feed
import Support
import Testing

@testable import SQLiteStore

/// A file that is damaged while it is at work, and the one begun in its place.
@Suite struct RenewalTests {
  let sandbox: Sandbox
  let store: TimelineDatabase

  init() throws {
    sandbox = try Sandbox()
    let first = try sandbox.open()
    _ = try first.commit(merge(sentAt: 10, seen: [seen("b", 2), seen("a", 1)]), budget: nil)
    first.close()
    store = try sandbox.open()
  }

  /// Overwrites all of the file but its header with what was never a page.
  private func damage() throws {
    let bytes = try sandbox.bytes(sandbox.path)
    let damaged = bytes[..<100] + [UInt8](repeating: 0xa5, count: bytes.count - 100)
    try sandbox.write(damaged, to: sandbox.path)
  }

  private func elements(_ reader: any TimelineReader) throws -> String {
    try reader.elements(of: items, below: .top, above: .bottom, limit: 9).map(\.id.text)
      .joined(separator: " ")
  }

  @Test func beginsANewFileWithANewEpochWithoutAReopening() throws {
    let epoch = store.epoch
    let readers = try (0..<3).map { _ in try store.makeReader() }
    try damage()
    for reader in readers {
      #expect(throws: StoreError.self) { try elements(reader) }
    }
    #expect(store.isDamaged)
    #expect(try store.renew(from: epoch) == "\(sandbox.path).corrupt-1")
    #expect(!store.isDamaged && store.epoch != epoch)
    #expect(try !sandbox.files.contains("tsugi.sqlite-damaged"))
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("c", 3)]), budget: nil) == 1)
    for reader in readers {
      #expect(try elements(reader) == "c")
      #expect(reader.epoch == store.epoch)
    }
    store.close()
    let again = try sandbox.open()
    #expect(again.setAside == nil)
    #expect(try again.standing() == "c")
  }

  /// A folder that is tidied up: what the log has goes into the file, and is there after a crash.
  @Test func aLogThatIsGoneIsSaidAndEmptied() throws {
    try store.check()
    _ = try store.commit(merge(sentAt: 20, seen: [seen("c", 3)]), budget: nil)
    try sandbox.remove("\(sandbox.path)-wal")
    #expect(throws: StoreError.self) { try store.check() }
    let crashed = try Sandbox()
    try crashed.write(sandbox.bytes(sandbox.path), to: crashed.path)
    #expect(try crashed.open().standing().contains("c"))
    store.close()
    #expect(try sandbox.open().standing().contains("c"))
  }

  @Test func isRenewedOnceForAllWhoMetTheDamage() throws {
    let epoch = store.epoch
    try damage()
    #expect(throws: StoreError.self) { try elements(store.makeReader()) }
    #expect(try store.renew(from: epoch) != nil)
    let renewed = store.epoch
    for _ in 0..<3 { #expect(try store.renew(from: epoch) == nil) }
    #expect(store.epoch == renewed)
    #expect(try sandbox.files.filter { $0.contains("corrupt") }.count == 1)
  }

  /// As where a disk fails for a moment.
  @Test func aFileFoundSoundAfterAllIsKept() throws {
    let epoch = store.epoch
    let reader = try store.makeReader()
    try meetDamageThatPasses()
    #expect(store.isDamaged)
    #expect(try store.renew(from: epoch) == nil)
    #expect(store.epoch == epoch && !store.isDamaged)
    #expect(try sandbox.files.allSatisfy { !$0.contains("corrupt") && !$0.contains("damaged") })
    #expect(try elements(reader) == "b a")
    #expect(try store.commit(merge(sentAt: 20, seen: [seen("c", 3)]), budget: nil) == 3)
  }

  @Test func damageMetAgainSoonIsBelieved() throws {
    let epoch = store.epoch
    for _ in 0..<2 {
      try meetDamageThatPasses()
      _ = try store.renew(from: epoch)
    }
    #expect(store.epoch != epoch)
    #expect(try sandbox.files.contains("tsugi.sqlite.corrupt-1"))
  }

  /// Has a reader meet damage in the file.
  private func meetDamage() throws {
    let reader = try store.makeReader()
    try damage()
    #expect(throws: StoreError.self) { try elements(reader) }
  }

  /// Has a reader meet damage in the file, and takes the damage away again.
  private func meetDamageThatPasses() throws {
    let sound = try sandbox.bytes(sandbox.path)
    try meetDamage()
    try sandbox.write(sound, to: sandbox.path)
  }

  @Test func aFileThatCannotBeReadIsLeftWhereItIs() throws {
    let epoch = store.epoch
    try meetDamage()
    // Its first byte is nothing that may be read.
    try sandbox.remove(sandbox.path)
    try sandbox.link(sandbox.path, to: "/proc/self/mem")
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try store.renew(from: epoch) }
      guard case .failed = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    #expect(store.epoch == epoch)
    #expect(try sandbox.files.allSatisfy { !$0.contains("corrupt") })
  }

  /// A file is there again, but nothing was ever written to it.
  @Test func aRenewalThatEndedHalfWayGoesOn() throws {
    let epoch = store.epoch
    try meetDamage()
    try sandbox.remove(sandbox.directory)
    #expect(throws: StoreError.self) { try store.renew(from: epoch) }
    try sandbox.makeDirectory()
    try sandbox.write([], to: sandbox.path)
    _ = try store.renew(from: epoch)
    #expect(store.epoch != epoch && !store.isDamaged)
    try store.check()
  }

  /// To close a file that SQLite has open takes its locks away, and with them the log.
  @Test func lookingAtAFileLeavesItsLocks() throws {
    let before = try sandbox.locks(of: sandbox.path)
    #expect(before > 0)
    let file = StoreFile(path: sandbox.path, durability: .processOnly, bytesMax: nil)
    #expect(try file.isSound())
    #expect(try sandbox.locks(of: sandbox.path) == before)
  }

  @Test func whatHasNothingInItIsNotKept() throws {
    let file = StoreFile(path: sandbox.directory + "/new", durability: .processOnly, bytesMax: nil)
    for _ in 0..<3 {
      try sandbox.write([], to: file.path)
      _ = try file.replace()
    }
    #expect(try sandbox.files.allSatisfy { !$0.contains("corrupt") })
  }

  @Test func damageMetInTheOldFileIsNotTheNewOnes() throws {
    let reader = try store.makeReader()
    let old = try SliceQueries(path: sandbox.path)
    try damage()
    #expect(throws: StoreError.self) { try elements(reader) }
    _ = try store.renew(from: store.epoch)
    let file = StoreFile(path: sandbox.path, durability: .processOnly, bytesMax: nil)
    file.epoch.begin(store.epoch)
    #expect(throws: StoreError.self) {
      try file.noting(in: old.epoch) { () throws(StoreError) in
        throw StoreError.corrupt(message: "")
      }
    }
    #expect(!file.epoch.isDamaged)
    #expect(try !sandbox.files.contains("tsugi.sqlite-damaged"))
  }

  @Test func refusesWhatWasReadFromTheOldFile() throws {
    var change = merge(sentAt: 20, seen: [seen("c", 3)])
    change.timeline.epoch = store.epoch
    _ = try store.commit(change, budget: nil)
    _ = try store.renew(from: store.epoch)
    #expect(throws: StoreError.replaced) { try store.commit(change, budget: nil) }
    #expect(throws: StoreError.replaced) {
      try store.cut(items.name, below: .top, leaving: change.timeline)
    }
    #expect(try store.timeline(of: items) == nil)
  }

  @Test(arguments: [true, false])
  func aRenewalThatFailsIsTriedAgain(isDamaged: Bool) throws {
    let epoch = store.epoch
    if isDamaged { try meetDamage() }
    try sandbox.remove(sandbox.directory)
    #expect(throws: StoreError.self) { try store.renew(from: epoch) }
    #expect(store.epoch == epoch)
    #expect(throws: StoreError.self) { try store.check() }
    try sandbox.makeDirectory()
    #expect(try store.renew(from: epoch) != nil)
    try store.check()
    #expect(store.epoch != epoch)
  }
}
