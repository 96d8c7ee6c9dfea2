import Testing
import TsugiClient
import TsugiClientTesting

/// Rows in sections, and as updates.
@MainActor @Suite(.timeLimit(.minutes(10))) struct PagedSectionTests {
  private func drawn(_ list: PagedList<Post>) -> [String] {
    list.sections { $0.id.prefix(1) }.map { section in
      let rows = section.rows.map { row in
        if case .item(let post) = row { post.id } else { "~" }
      }
      return "\(section.key)\(section.id.number): \(rows.joined(separator: " "))"
    }
  }

  @Test func joinsWhatStandsSideBySide() async throws {
    let list = PagedList<Post>.preview(["a1", "a2", "b1", "a3"].map { Post(id: $0, title: nil) })
    #expect(drawn(list) == ["a0: a1 a2", "b0: b1", "a1: a3"])
    #expect(drawn(.preview([])) == [])
  }

  @Test func keepsItsIdsWhenRowsComeAbove() async throws {
    let stand = try ListStand(limit: 3)
    stand.transport.next(.posts("a1", "b1", "a2", hasMore: false))
    stand.list.start()
    await stand.settle()
    #expect(drawn(stand.list) == ["a0: a1", "b0: b1", "a1: a2"])
    stand.transport.next(.posts("a8", "c1", "a9", "a1", "b1", "a2", hasMore: false))
    await stand.list.refresh()
    #expect(drawn(stand.list) == ["a2: a8", "c0: c1", "a0: a9 a1", "b0: b1", "a1: a2"])
    stand.list.apply([FeedChange(.remove, id: "c1")])
    #expect(drawn(stand.list) == ["a2: a8 a9 a1", "b0: b1", "a1: a2"])
  }

  @Test func givesAGapToTheSectionAbove() async throws {
    let stand = try ListStand(options: PagedOptions(fillsGaps: false), limit: 1)
    stand.transport.next(.posts("a1", hasMore: true))
    stand.list.start()
    await stand.settle()
    stand.transport.next(.posts("b9", hasMore: true))
    stand.transport.next(.posts("b8", hasMore: true))
    await stand.list.refresh()
    #expect(drawn(stand.list) == ["b0: b9 b8 ~", "a0: a1"])
  }

  @Test func givesTheNewestRowsAndWhatChangedInThem() async throws {
    let stand = try ListStand(limit: 3)
    var updates = stand.list.updates.makeAsyncIterator()
    #expect(await updates.next()?.rows.isEmpty == true)
    stand.transport.next(.posts("a", "b", hasMore: false))
    stand.list.start()
    await stand.settle()
    stand.list.apply([FeedChange(.upsert, item: Post(id: "a", title: "A"))])
    let first = await updates.next()
    #expect(first?.rows.count == 2 && first?.changed == [])
    stand.list.apply([FeedChange(.upsert, item: Post(id: "b", title: "B"))])
    stand.list.apply([FeedChange(.upsert, item: Post(id: "a", title: "A"))])
    #expect(await updates.next()?.changed == ["b"])
    let list = stand.list
    let last = Task {
      var updates = list.updates.makeAsyncIterator()
      _ = await updates.next()
      return await updates.next() == nil
    }
    await Task.yield()
    last.cancel()
    #expect(await last.value)
  }
}
