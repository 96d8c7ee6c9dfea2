import History
import Testing

@testable import Feed

/// One edit, shown by backends that are behind one another.
@Suite struct RecentEditsTests {
  private func item(_ updatedAt: Int64?, bytes: Int = 1, id: String = "a") -> PageItem {
    PageItem(
      id: Identity(id), key: 0, updatedAt: updatedAt,
      bytes: Array("\(updatedAt ?? 0)".utf8) + [UInt8](repeating: 32, count: bytes))
  }

  private let now = Timestamp(seconds: 10_000)

  @Test func anOlderCopyLagsBehindUntilTheEditHasSettled() {
    var edits = RecentEdits()
    edits.note(item(9_990), realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
    let older = item(50)
    #expect(edits.settled(older, realm: "r", sentAt: now + .seconds(119)) == item(9_990))
    #expect(edits.settled(older, realm: "r", sentAt: now + .seconds(120)) == older)
    #expect(edits.settled(older, realm: "other", sentAt: now) == older)
    // Seen again it is taken for new again; what is as new, or tells no time, is taken as it is.
    edits.note(item(9_990), realm: "r", unit: .seconds, clock: 10_060, sentAt: now + .seconds(60))
    #expect(edits.settled(older, realm: "r", sentAt: now + .seconds(170)) == item(9_990))
    for other in [item(9_990, bytes: 2), item(9_991), item(nil)] {
      #expect(edits.settled(other, realm: "r", sentAt: now) == other)
    }
  }

  @Test func whatTheStoreKnewIsRecalledUntilItHasSettled() {
    var edits = RecentEdits()
    func recall(_ item: PageItem) {
      edits.recall(item, realm: "r", unit: .seconds, clock: 10_000, seenAt: now)
    }
    // What is no time of a short while ago is none of an edit: a file's elements tell a digest.
    recall(item(9_699))
    recall(item(.max))
    #expect(edits.count == 0)
    recall(item(9_990))
    #expect(edits.settled(item(50), realm: "r", sentAt: now + .seconds(119)) == item(9_990))
    #expect(edits.settled(item(50), realm: "r", sentAt: now + .seconds(120)) == item(50))
    // What this process has seen itself is later than what the store had.
    edits.note(item(9_995), realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
    recall(item(9_990))
    #expect(edits.settled(item(50), realm: "r", sentAt: now) == item(9_995))
  }

  /// The first answer after a restart may be a copy, whose clock stands before the edit.
  @Test func anEditIsRecalledBesideAClockThatLagsBehind() {
    var edits = RecentEdits()
    edits.recall(item(10_299), realm: "r", unit: .seconds, clock: 10_000, seenAt: now)
    #expect(edits.settled(item(50), realm: "r", sentAt: now) == item(10_299))
  }

  /// A feed whose order is the upstream's own may have shown an edit without the time of creation,
  /// by which the element stands elsewhere.
  @Test func aLateCopyKeepsTheTimeThatOnlyItTells() {
    var edits = RecentEdits()
    var undated = item(9_990)
    undated.key = nil
    edits.note(undated, realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
    #expect(edits.settled(item(50), realm: "r", sentAt: now) == item(9_990))
  }

  @Test(arguments: [(9_700, true), (9_699, false), (10_000, true), (10_001, false)])
  func onlyWhatWasEditedAShortWhileAgoIsKept(updatedAt: Int64, isKept: Bool) {
    var edits = RecentEdits()
    edits.note(item(updatedAt), realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
    #expect((edits.count == 1) == isKept)
  }

  @Test func aFewAreKept() {
    var edits = RecentEdits()
    for number in 0..<3_000 {
      edits.note(
        item(10_000, id: "e\(number)"), realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
      #expect(edits.count <= RecentEdits.countMax)
    }
    edits = RecentEdits()
    for number in 0..<20 {
      let large = item(10_000, bytes: 1 << 20, id: "e\(number)")
      edits.note(large, realm: "r", unit: .seconds, clock: 10_000, sentAt: now)
      #expect(edits.count <= RecentEdits.bytesMax >> 20)
    }
  }
}
