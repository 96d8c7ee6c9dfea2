import CSQLite
import Foundation
import Synchronization
import Testing
import TsugiClientTesting

@testable import TsugiClient
@testable import TsugiStore

/// The file: whose it is, what becomes of it when it is damaged, full or another's, and how large
/// it grows.
@MainActor @Suite(.timeLimit(.minutes(5))) struct StoreFileTests {
  private let stand = StoreStand()

  /// Collects what a store logs.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ event: FeedEvent) { lines.withLock { $0.append("\(event)") } }
    func count(_ name: String) -> Int { all.count { $0.hasPrefix(name) } }
  }
  private let log = Log()

  private func open(
    maxBytes: Int = 64 << 20, fault: @escaping @Sendable () -> Int32 = { 0 }
  ) -> FeedStore {
    stand.store(maxBytes: maxBytes, log: { [log] in log.add($0) }, fault: fault)
  }

  @Test func makesAFileThatSaysWhoseItIs() async throws {
    let store = open()
    #expect(store.isPersistent)
    try await stand.keepSix(store)
    let connection = try Connection(stand.file.path, flags: SQLITE_OPEN_READONLY)
    #expect(try connection.number("PRAGMA application_id") == 0x5453_5547)
    #expect(try connection.number("PRAGMA user_version") == 1)
    #expect(try connection.number("PRAGMA auto_vacuum") == 2)
    var mode = ""
    try connection.run("PRAGMA journal_mode") { mode = $0.text(0) ?? "" }
    #expect(mode == "wal")
    #expect(store.usedBytes > 0)
  }

  @Test func writesEachItemOnce() async throws {
    try await stand.keepSix(open())
    let rows = log.all.filter { $0.hasPrefix("stored") }
      .compactMap { $0.firstMatch(of: /rows: (\d+)/).flatMap { Int($0.1) } }
    #expect(rows.reduce(0, +) == 6)
  }

  /// Also when the list is gone; what is not written yet is read all the same.
  @Test func writesSoonAfterAChange() async throws {
    let store = open()
    stand.transport.next(stand.slice("a b c"))
    do {
      let list = try stand.list(store)
      list.start()
      await stand.settle(list)
    }
    #expect(await store.items(of: try stand.feed()).count == 3)
    #expect(try stand.list(store).ids == "a b c")
    let log = log
    while log.count("stored") == 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try stand.list(open()).ids == "a b c")
  }

  @Test(arguments: ["zero", "cut", "flipped", "newer"])
  func beginsADamagedFileAgain(kind: String) async throws {
    do {
      let store = open()
      try await stand.keepSix(store)
      await store.trim(toBytes: 1 << 30)
    }
    var bytes = stand.bytes()
    switch kind {
    case "zero": bytes = Data()
    case "cut": bytes = bytes.prefix(bytes.count / 2)
    case "flipped": for index in 4_096..<bytes.count { bytes[index] ^= 0x5a }
    default: bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    }
    for name in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: stand.file.path + name)  // It may not be there.
    }
    try bytes.write(to: stand.file)
    let store = open()
    #expect(store.isPersistent)
    #expect(log.count("storeReset") == (kind == "zero" ? 0 : 1))
    #expect(try stand.list(store).items.isEmpty)
    try await stand.keepSix(store)
    #expect(try stand.list(open()).ids == "a b c d e f")
  }

  @Test func beginsAFileAgainThatIsDamagedWhileItIsOpen() async throws {
    let codes = Mutex<[Int32]>([])
    let store = open { codes.withLock { $0.popLast() ?? 0 } }
    try await stand.keepSix(store)
    codes.withLock { $0 = [SQLITE_CORRUPT] }
    let list = try stand.list(store)
    list.apply([FeedChange(.upsert, item: Note(id: "a", text: "x"))])
    await store.flush()
    #expect(log.count("storeReset") == 1 && store.isPersistent)
    list.apply([FeedChange(.upsert, item: Note(id: "b", text: "x"))])
    await store.flush()
    #expect(await store.item("a", of: try stand.feed())?.text == "x")
  }

  @Test(arguments: [true, false])
  func leavesAnothersFileAsItIs(isDatabase: Bool) async throws {
    try FileManager.default.createDirectory(
      at: stand.file.deletingLastPathComponent(), withIntermediateDirectories: true)
    if isDatabase {
      let other = try Connection(
        stand.file.path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      try other.run("CREATE TABLE mine (x)")
    } else {
      try Data("a diary".utf8).write(to: stand.file)
    }
    let before = stand.bytes()
    let store = open()
    #expect(!store.isPersistent && log.count("storeFailed") == 1)
    try await stand.keepSix(store)
    #expect(try stand.list(store).ids == "a b c d e f")
    #expect(stand.bytes() == before)
  }

  /// With what lies in it.
  @Test(arguments: [true, false])
  func leavesAFolderAsItIs(isEmpty: Bool) async throws {
    try FileManager.default.createDirectory(at: stand.file, withIntermediateDirectories: true)
    let photo = stand.file.appending(path: "photo")
    if !isEmpty { try Data("a photo".utf8).write(to: photo) }
    let store = open()
    #expect(!store.isPersistent && log.count("storeFailed") == 1)
    try await stand.keepSix(store)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: stand.file.path).count
        == (isEmpty ? 0 : 1))
  }

  @Test func leavesADeviceAsItIs() {
    let store = FeedStore(
      StoreCore(
        URL(filePath: "/dev/null"), maxBytes: 1 << 20, access: .readWrite,
        log: { [log] in log.add($0) }))
    #expect(!store.isPersistent && log.count("storeFailed") == 1)
    #expect(!FileManager.default.fileExists(atPath: "/dev/null-wal"))
  }

  @Test func beginsAFileAgainThatLacksATable() async throws {
    try await stand.keepSix(open())
    let other = try Connection(stand.file.path, flags: SQLITE_OPEN_READWRITE)
    try other.run("DROP TABLE \"row\"")
    let store = open()
    #expect(store.isPersistent && log.count("storeReset") == 1)
    try await stand.keepSix(store)
    #expect(try stand.list(open()).ids == "a b c d e f")
  }

  @Test func goesOnWhereNoFileCanBeMade() async throws {
    try Data().write(to: stand.folder)
    let store = open()
    #expect(!store.isPersistent && log.count("storeFailed") == 1)
    try await stand.keepSix(store)
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR, SQLITE_BUSY])
  func triesAgainWithTheNextChange(code: Int32) async throws {
    let failing = Mutex<Int32>(0)
    let store = open { failing.withLock(\.self) }
    failing.withLock { $0 = code }
    stand.transport.next(stand.slice("a b c"))
    let list = try stand.list(store)
    list.start()
    await stand.settle(list)
    await store.flush()
    // On a busy machine what the list begins with is a change of its own.
    #expect((1...2).contains(log.count("storeFailed")) && log.count("stored(") == 0)
    #expect(await store.items(of: try stand.feed()).count == 3)
    failing.withLock { $0 = 0 }
    list.apply([FeedChange(.upsert, item: Note(id: "b", text: "x"))])
    await store.flush()
    #expect(try stand.list(open()).ids == "a b c")
  }

  @Test func holdsItsSizeInEachWrite() async throws {
    let store = open(maxBytes: 300_000)
    let text = String(repeating: "x", count: 2_000)
    for number in 0..<12 {
      let feed = try stand.feed("shop/feed\(number)", limit: 20)
      for part in 0..<2 {
        let notes = (0..<20).map { Note.json("\(number)-\(part)-\($0)", text) }
        stand.transport.next(
          .slice(of: notes, hasMore: part == 0, start: "\(part)", end: "\(part)e"))
      }
      let list = PagedList(feed, in: store)
      list.start()
      await stand.settle(list)
      list.visible(0..<5)
      await store.flush()
      list.loadMore()
      await stand.settle(list)
      await store.flush()
      #expect(store.usedBytes <= 300_000)
      #expect(await store.items(of: feed).count >= 5)
    }
    #expect(log.count("evicted") > 0 && log.count("storeFailed") == 0)
    #expect(await store.items(of: try stand.feed("shop/feed0")).isEmpty)
    await store.trim(toBytes: 0)
    #expect(store.usedBytes < 100_000)
  }

  @Test func keepsNoItemAboveAnEighth() async throws {
    let store = open(maxBytes: 400_000)
    let large = String(repeating: "x", count: 60_000)
    stand.transport.next(.slice(of: [Note.json("a"), Note.json("b", large)], hasMore: false))
    let list = try stand.list(store)
    list.start()
    await stand.settle(list)
    await store.flush()
    #expect(await store.item("b", of: try stand.feed()) == nil)
    #expect(await store.item("a", of: try stand.feed()) != nil)
  }

  @Test func leavesNoByteOfAnAccount() async throws {
    let store = open()
    let secret = "s3cret-of-ada"
    stand.transport.next(.slice(of: [Note.json("a", secret)], hasMore: false))
    let list = try stand.list(store.account("ada"))
    list.start()
    await stand.settle(list)
    await store.flush()
    #expect((stand.bytes() + stand.bytes("-wal")).range(of: Data(secret.utf8)) != nil)
    await store.account("ada").removeAll()
    #expect((stand.bytes() + stand.bytes("-wal")).range(of: Data(secret.utf8)) == nil)
    #expect((stand.bytes() + stand.bytes("-wal")).range(of: Data("ada".utf8)) == nil)
  }

  @Test func readsBesideAWriter() async throws {
    #expect(try stand.list(stand.store(access: .readOnly)).items.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: stand.folder.path))
    let store = open()
    try await stand.keepSix(store)
    let reader = stand.store(access: .readOnly)
    #expect(reader.isPersistent)
    let list = try stand.list(reader)
    #expect(list.ids == "a b c d e f")
    list.apply([FeedChange(.remove, id: "a")])
    await reader.flush()
    await reader.removeAll()
    #expect(await reader.items(of: try stand.feed()).count == 6)
    let writing = try stand.list(store)
    writing.apply([FeedChange(.delete, id: "b")])
    await store.flush()
    #expect(await reader.items(of: try stand.feed()).count == 5)
  }

  @Test func makesNoFileBesideOneThatIsClosed() async throws {
    do { try await stand.keepSix(open()) }
    let files = { [stand] in
      try FileManager.default.contentsOfDirectory(
        atPath: stand.file.deletingLastPathComponent().path
      ).sorted()
    }
    let before = try files()
    #expect(try stand.list(stand.store(access: .readOnly)).ids == "a b c d e f")
    #expect(try files() == before)
  }

  /// Two processes that write: whichever wrote last has its whole list there.
  @Test func neverMixesTwoWriters() async throws {
    let (one, two) = (open(), open())
    try await stand.keepSix(one)
    let (first, second) = (try stand.list(one), try stand.list(two))
    second.apply([FeedChange(.remove, id: "d")])
    await two.flush()
    first.apply([FeedChange(.remove, id: "a")])
    await one.flush()
    #expect(try stand.list(open()).ids == "b c d e f")
    second.apply([FeedChange(.remove, id: "f")])
    await two.flush()
    #expect(try stand.list(open()).ids == "a b c e")
  }
}
