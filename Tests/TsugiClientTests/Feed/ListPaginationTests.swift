import Testing
import TsugiClientTesting

@testable import TsugiClient

@MainActor struct ListPaginationTests {
  private struct Row: Identifiable { var id: Int }
  private struct Other: Identifiable { var id: Int }

  private func rows(_ count: Int) -> [Row] { (0..<count).map(Row.init) }

  @Test(arguments: [(0, 0, false), (1, 0, true), (3, 2, true), (3, 1, false), (3, 9, false)])
  func knowsTheLastItem(count: Int, id: Int, isLast: Bool) {
    #expect(rows(count).isLastItem(Row(id: id)) == isLast)
    #expect(rows(count).isLastItem(Other(id: id)) == isLast)
  }

  @Test(arguments: [
    (10, 0, 9, true), (10, 2, 7, true), (10, 2, 8, false), (10, 2, 6, false),
    // An offset as large as the collection means its first item.
    (3, 3, 0, true), (3, 50, 0, true), (3, 50, 1, false), (3, 2, 0, true),
    (0, 0, 0, false), (3, -1, 2, false), (3, 1, 9, false),
  ])
  func answersAsListPaginationDoes(count: Int, offset: Int, id: Int, isThreshold: Bool) {
    #expect(rows(count).isThresholdItem(offset: offset, item: Row(id: id)) == isThreshold)
    #expect(rows(count)[...].isThresholdItem(offset: offset, item: Other(id: id)) == isThreshold)
  }

  @Test func asksForTheLastOfDoubles() {
    #expect([1, 2, 1].map(Row.init).isLastItem(Row(id: 1)))
    #expect([1, 2, 1, 3].map(Row.init).isThresholdItem(offset: 1, item: Row(id: 1)))
  }

  @Test(arguments: [
    (10, 2, 7, true), (10, 2, 8, true), (10, 2, 9, true), (10, 2, 6, false), (3, 50, 0, true),
    (3, 50, 2, true), (0, 2, 0, false), (3, -1, 2, true), (3, -1, 1, false), (3, 1, 9, false),
  ])
  func takesAnyItemFromTheThresholdOn(count: Int, offset: Int, id: Int, isWithin: Bool) {
    #expect(rows(count).isWithinThreshold(offset: offset, item: Row(id: id)) == isWithin)
  }

  @Test(arguments: 0..<5, -1..<6)
  func aListAnswersAsItsItemsDo(index: Int, offset: Int) async throws {
    let stand = try ListStand(limit: 9)
    stand.transport.next(.posts("a", "b", "c", "d", hasMore: false))
    await stand.list.refresh()
    let items = stand.list.items
    let item = index < items.count ? items[index] : Post(id: "gone")
    let list = stand.list
    #expect(list.isLastItem(item) == items.isLastItem(item))
    #expect(
      list.isThresholdItem(offset: offset, item: item)
        == items.isThresholdItem(offset: offset, item: item))
    #expect(
      list.isWithinThreshold(offset: offset, item: item)
        == items.isWithinThreshold(offset: offset, item: item))
  }
}
