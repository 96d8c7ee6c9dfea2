import Feed
import Freshness
import Testing

@testable import RawCache

/// What memory holds, and how much of it.
@Suite struct AnswerMemoryTests {
  private func entry(_ bytes: Int) -> AnswerMemory.Entry {
    let head = StoredAnswer(status: 200, fields: [], to: [], askedAt: 0, respondedAt: 0)
    return AnswerMemory.Entry(
      answers: [RawAnswer(head: head, body: [UInt8](repeating: 0, count: bytes))],
      notedAt: Timestamp(seconds: 0))
  }

  @Test func holdsNoMoreThanItMay() {
    var memory = AnswerMemory(bytesMax: 100_000)
    for index in 0..<1_000 {
      memory["\(index)"] = entry(1_000)
      // What is used stays.
      #expect(memory["0"] != nil, "\(index)")
    }
    let held = (0..<1_000).count { memory["\($0)"] != nil }
    #expect((30...100).contains(held))
    memory["large"] = entry(50_001)
    #expect(memory["large"] == nil)
  }

  @Test func countsTheNamesOfTargets() {
    var memory = AnswerMemory(bytesMax: 100_000)
    let names = (0..<1_000).map { "/\($0)?" + String(repeating: "a", count: 2_000) }
    for name in names { memory[name] = entry(1) }
    let held = names.count { memory[$0] != nil }
    #expect((10...50).contains(held))
  }

  @Test func dropsWhatIsSelected() {
    for (selection, left) in [
      (.target("/a"), ["/ab", "/b"]), (.prefix("/a"), ["/b"]), (.all, []),
    ] as [(AnswerSelection, [String])] {
      var memory = AnswerMemory(bytesMax: 100_000)
      for target in ["/a", "/ab", "/b"] { memory[target] = entry(1) }
      memory.drop(selection)
      let found = ["/a", "/ab", "/b"].filter { memory[$0] != nil }
      #expect(found == left)
    }
  }
}
