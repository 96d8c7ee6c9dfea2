import Feed
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
    let error = #expect(throws: StoreError.self) { try TimelineDatabase(path: path) }
    #expect("\(String(describing: error))".contains("No such file or directory"))
  }

  @Test(arguments: ["not a database", String(repeating: "SQLite format 3 or so. ", count: 999)])
  func setsAsideWhatIsNoDatabase(text: String) throws {
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

  @Test func givesEachFileSetAsideItsNumber() throws {
    for number in 1...3 {
      try sandbox.write("damaged \(number)".utf8, to: sandbox.path)
      #expect(try sandbox.open().setAside == "\(sandbox.path).corrupt-\(number)")
    }
    #expect(try sandbox.bytes("\(sandbox.path).corrupt-2") == Array("damaged 2".utf8))
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
