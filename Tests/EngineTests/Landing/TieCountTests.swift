import History
import Support
import Synchronization
import Testing

@testable import Feed

@Suite struct TieCountTests {
  /// A window of the feed `newer` items, then `members` of second 5 in their order, then `older`.
  private func answer(
    _ members: [String], from first: Int, _ count: Int, newer: Int = 2, older: Int = 2
  ) -> Evidence {
    let above = (0..<newer).map { "\(100 - $0)n\($0)" }
    let below = (0..<older).map { "\(4 - $0)o\($0)" }
    let shown = (above + members.map { "5\($0)" } + below).dropFirst(first).prefix(count)
    let drawn = page(
      shown.joined(separator: " "), hasNext: first + count < newer + members.count + older)
    var evidence = Evidence(
      drawn, to: Window(page: 1, perPage: count), sentAt: Timestamp(seconds: 500), clock: 1000)
    // Windows begin at multiples of their size; these begin wherever the table wants.
    evidence.isTop = first == 0
    for index in evidence.elements.indices { evidence.elements[index].rank += first }
    return evidence
  }

  private func names(_ range: Range<Int>) -> [String] {
    range.map { "m" + String(repeating: "x", count: $0 % 3) + "\($0)" }
  }

  private func begun(_ members: [String], total: Int? = 100) throws -> TieCount {
    try #require(TieCount(key: 5, evidence: answer(members, from: 1, 6), total: total))
  }

  @Test func beginsOnlyWithAnAnswerThatShowsTheStart() {
    let members = names(0..<10)
    #expect(TieCount(key: 5, evidence: answer(members, from: 1, 6), total: nil)?.start == 2)
    #expect(TieCount(key: 5, evidence: answer(members, from: 2, 6), total: nil) == nil)
    #expect(
      TieCount(key: 5, evidence: answer(members, from: 0, 6, newer: 0), total: nil)?.start == 0)
  }

  @Test func isCompleteWhenAsManyWereSeenAsThereAreRanks() throws {
    let members = names(0..<10)
    var tieCount = try begun(members)
    #expect(!tieCount.isComplete)
    tieCount.add(answer(members, from: 4, 6), total: 100)
    #expect(!tieCount.isComplete)
    tieCount.add(answer(members, from: 7, 6), total: 100)
    #expect(tieCount.isComplete)
    #expect(tieCount.rankBelow == 12 && tieCount.lower == .above(key: 4))
  }

  @Test func endsWhereTheFeedEnds() throws {
    let members = names(0..<10)
    var tieCount = try begun(members)
    tieCount.add(answer(members, from: 4, 10, older: 0), total: 100)
    #expect(tieCount.isComplete)
    #expect(tieCount.lower == .bottom)
  }

  @Test func twoAnswersAreLaidBesideEachOtherBySight() throws {
    let members = names(0..<10)
    var tieCount = try begun(members)
    // Two items were deleted above: the second moved up by two ranks.
    tieCount.add(answer(members, from: 2, 10, newer: 0), total: 98)
    #expect(tieCount.isComplete)
    #expect(tieCount.rankBelow == 10)
  }

  /// In a second that comes in another order each time, some stand in the same one by chance.
  @Test func whereTheOrderChangesSightProvesNothing() throws {
    let members = names(0..<10)
    var tieCount = try begun(members)
    tieCount.add(answer(Array(members.reversed()), from: 0, 6), total: 100)
    // Two ranks further up than they stand: without the total nothing lays them beside the rest.
    tieCount.add(answer(members, from: 2, 10, newer: 0), total: nil)
    #expect(tieCount.passes == 2 && !tieCount.isComplete)
  }

  @Test func anAnswerThatCannotBeLaidBesideTheOthersBeginsAPass() throws {
    let members = names(0..<20)
    var tieCount = try begun(members)
    tieCount.add(answer(members, from: 12, 6), total: 97)
    #expect(tieCount.passes == 2 && tieCount.members.count == 5)
    #expect(tieCount.need().rank < 2)
  }

  @Test func reorderedAnswersCountOnceTheyAreConfirmed() throws {
    let members = names(0..<8)
    var tieCount = try begun(members)
    let other = Array(members.reversed())
    tieCount.add(answer(other, from: 5, 9), total: 100)
    #expect(tieCount.end == 10 && !tieCount.isComplete)
    tieCount.add(answer(other, from: 1, 9), total: 100)
    #expect(tieCount.members.count == 8 && !tieCount.isComplete)
    tieCount.add(answer(other, from: 1, 7), total: 100)
    #expect(!tieCount.isComplete)
    tieCount.add(answer(members, from: 1, 7), total: 100)
    tieCount.add(answer(other, from: 5, 9), total: 100)
    #expect(tieCount.isComplete)
  }

  /// One of the second goes, one below it comes: the total stands still. What was seen of the
  /// second is as much as there is now, and yet one is missing.
  @Test func aTotalThatStandsStillByChanceConfirmsNothing() throws {
    let members = names(0..<8)
    var tieCount = try begun(members)
    let left = members[1...3] + [members[7]] + members[4...6]
    for _ in 0..<4 {
      tieCount.add(answer(Array(left.reversed()), from: 5, 9), total: 100)
      tieCount.add(answer(Array(left), from: 1, 6), total: 100)
      #expect(!tieCount.isComplete || !tieCount.members.keys.contains(Identity(members[0])))
    }
  }

  @Test func elementsThatCannotBeUsedAreCountedByTheirRanks() throws {
    let members = names(0..<10)
    func spoilt(_ evidence: Evidence) -> Evidence {
      var evidence = evidence
      evidence.unusableRanks = evidence.elements.filter { $0.item.id == Identity(members[4]) }
        .map(\.rank)
      evidence.elements.removeAll { $0.item.id == Identity(members[4]) }
      return evidence
    }
    var tieCount = try #require(
      TieCount(key: 5, evidence: spoilt(answer(members, from: 1, 6)), total: 100))
    tieCount.add(spoilt(answer(members, from: 3, 7)), total: 100)
    #expect(!tieCount.isComplete)
    tieCount.add(spoilt(answer(members, from: 6, 7)), total: 100)
    #expect(tieCount.isComplete && tieCount.members.count == 9)
  }

  @Test func reorderedAnswersDoNotCountWhenTheTotalMoved() throws {
    let members = names(0..<8)
    var tieCount = try begun(members)
    tieCount.add(answer(members.reversed(), from: 5, 9), total: 101)
    #expect(tieCount.end == nil && tieCount.passes == 2)
  }

  /// The first is seen, then deleted, while the last was never seen: as many were seen as there
  /// are ranks now, and yet one is missing.
  @Test(arguments: [99, nil])
  func whatWasSeenBeforeTheListMovedDoesNotFillTheCount(total: Int?) throws {
    let members = names(0..<8)
    var tieCount = try begun(members, total: total.map { $0 + 1 })
    let left = [members[7]] + members[1..<7]
    tieCount.add(answer(Array(left.dropFirst()) + [members[7]], from: 1, 3), total: total)
    tieCount.add(answer(left, from: 3, 8), total: total)
    #expect(!tieCount.isComplete)
  }

  /// One answer comes from a list that begins with the second, and whose ranks are taken for three
  /// less than they are: ten elements stand between ends that are seven apart. No answer makes that
  /// good, so that the place rests soon, and is asked for otherwise.
  @Test func moreElementsThanRanksAreNoProgress() throws {
    let members = names(0..<10)
    let first = answer(members, from: 1, 6)
    var last = answer(members.reversed(), from: 4, 10)
    for index in last.elements.indices { last.elements[index].rank -= 3 }
    var attempt = ExtensionAttempts()
    let cut = Cut.above(key: 5)
    var answers = 0
    while attempt.rests == 0, answers < 40 {
      attempt.learn(
        from: answers.isMultiple(of: 2) ? first : last, total: 100, below: cut, isCounted: true,
        at: Timestamp(seconds: 500))
      answers += 1
    }
    #expect(answers <= ExtensionAttempts.idleMax + 2)
  }

  @Test func givesUpAfterThirtyTwoPasses() throws {
    let members = names(0..<40)
    var tieCount = try begun(members)
    for total in 0..<31 { tieCount.add(answer(members.shuffled(), from: 20, 6), total: total) }
    #expect(!tieCount.isHopeless)
    tieCount.add(answer(members.shuffled(), from: 20, 6), total: 99)
    #expect(tieCount.isHopeless)
  }

  /// In standing order as many are counted as there may be.
  @Test func countsAsManyAsAnUpstreamShows() throws {
    let members = names(0..<9_500)
    var tieCount = try begun(members)
    var first = 1
    while !tieCount.isComplete, !tieCount.isHopeless, first < 9_600 {
      tieCount.add(answer(members, from: first, 100), total: 100)
      first += 90
    }
    #expect(tieCount.isComplete && tieCount.members.count == 9_500)
  }

  @Test(arguments: [TieCount.bytesMax / 400, TieCount.bytesMax / 400 + 4_096])
  func givesUpWhereTheyAreTooLarge(bytes: Int) throws {
    var rest = Evidence(
      page("9z", hasNext: true), to: Window(page: 1, perPage: 100),
      sentAt: Timestamp(seconds: 1), clock: 1)
    var tieCount: TieCount?
    for page in 0..<4 {
      let items = (0..<100).map { index in
        PageItem(
          id: Identity("\(page)-\(index)"), key: 5, updatedAt: nil,
          bytes: [UInt8](repeating: 32, count: bytes))
      }
      rest.elements = items.enumerated().map { index, item in
        Evidence.Placed(
          position: Position(order: 5, tie: item.id.bytes), rank: 97 * page + index,
          isDisplaced: false, item: item)
      }
      rest.isTop = page == 0
      if tieCount == nil {
        tieCount = TieCount(key: 5, evidence: rest, total: 1_000)
      } else {
        tieCount?.add(rest, total: 1_000)
      }
    }
    #expect(try #require(tieCount).isHopeless == (bytes > TieCount.bytesMax / 400))
  }

  /// Seconds larger than any window, reordered in every answer or not, in a list that moves
  /// between every two calls: every walk keeps the promise or ends with 503, never with a hole.
  @Test(arguments: [false, true], [Drift.none, .insertsAbove, .deletions, .insertsInside, .all])
  func neverLeavesAHole(isShuffled: Bool, drift: Drift) throws {
    for seed in Extent.seeds(4, of: 12) {
      let rig = try Rig(seed: seed, policy: .unbounded)
      var random = SeededGenerator(seed: seed)
      let second = rig.time.now.seconds - 10_000
      for offset in 0..<40 { rig.feed.insert(second: second - 1_000 + Int64(offset)) }
      for _ in 0..<Int.random(in: 101...220, using: &random) { rig.feed.insert(second: second) }
      for offset in 0..<40 { rig.feed.insert(second: second + 10 + Int64(offset)) }
      rig.feed.move(drift, around: second, isShuffled: isShuffled)
      let (reader, time) = (rig.reader, rig.time)
      var request = rig.request(limit: 100)
      request.wait = .seconds(30)
      let first = request
      let walk = try #require(
        time.run { await Walk.run(reader, first) { await time.sleep(.milliseconds(200)) } })
      let violation = walk.violation(of: rig.feed.history, endedAt: time.now)
      let isRefused = ["failed: unavailable", "failed: unproven", "failed: timedOut"].contains {
        violation?.hasPrefix($0) == true
      }
      #expect(violation == nil || (isRefused && isShuffled), "seed \(seed): \(violation ?? "")")
      if drift == .none { #expect(isShuffled || violation == nil) }
    }
  }
}

/// How a feed moves before every call.
enum Drift: Sendable {
  case none, insertsAbove, deletions, insertsInside, all
}

extension ScriptedFeed {
  /// Moves the feed before every call from now on.
  func move(_ drift: Drift, around second: Int64, isShuffled: Bool) {
    state.withLock { state in
      state.shufflesTies = isShuffled
      guard drift != .none else { return }
      state.beforeCall = { feed in
        let choice = feed.state.withLock { state in
          (
            Int.random(in: 0..<3, using: &state.random),
            state.list.entries.randomElement(using: &state.random)
          )
        }
        switch (drift, choice.0) {
        case (.insertsAbove, _), (.all, 0): feed.insert(second: feed.time.now.seconds)
        case (.insertsInside, _), (.all, 1): feed.insert(second: second)
        default: if let entry = choice.1 { feed.delete(entry.id) }
        }
      }
    }
  }
}
