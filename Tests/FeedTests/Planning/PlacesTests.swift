import Support
import Testing

@testable import Feed

/// A plan names a place, and exactly one function names the page that shows it, when the call
/// departs.
@Suite struct PlacesTests {
  /// Each way of paging.
  private static let pagings = [
    Paging.hundreds, Paging(.pages, perPageMax: 20, joins: .count),
    Paging(.offset, perPageMax: 50, reachMax: 200, past: KeyGrain(length: 5)),
    Paging(.anchor(isShown: true), perPageMax: 100, joins: .upstream),
    Paging(.anchor(isShown: false), perPageMax: 100), Paging(.key, perPageMax: 100),
    Paging(.next, perPageMax: 100, joins: .upstream),
  ]

  /// Names every place by what is asked.
  private struct AllHandles: Handles {
    let refusedMarks: Set<String> = []

    func lastElements(below upper: Cut, above lower: Cut, limit: Int) -> [Element] {
      let order = min(lower.position.order, .max - 1) + 1
      let places = (0..<limit).map { Position(order: order, tie: [UInt8($0 % 256)]) }
      return places.map { Element(position: $0, id: Identity("\($0.tie)"), bytes: []) }
    }
    func count(below upper: Cut, above lower: Cut) -> Int { 3 }
    func mark(of item: PageItem) -> String? { item.id.text }
    func mark(of key: Int64) -> String? { "\(key)" }
  }

  /// What is known of a feed, with gaps, misses and old proofs as chance has it.
  private static func plan(
    of paging: Paging, _ order: FeedOrder, _ random: inout SeededGenerator
  ) -> Plan {
    let now = Timestamp(seconds: 1_000_000)
    var timeline = Timeline()
    var (key, rank) = (Int64(10_000), 0)
    timeline.lookedAt = now - .seconds(Int64.random(in: 0...90_000, using: &random))
    var upper = Cut.top
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let count = Int.random(in: 1...90, using: &random)
      (key, rank) = (key - Int64(count), rank + count)
      let age = Duration.seconds(Int64.random(in: 0...90_000, using: &random))
      timeline.proofs.append(
        Proof(
          upper: upper, lower: .above(key: key), provenAt: now - age, count: count,
          rankBelow: rank))
      let gap = Bool.random(using: &random) ? 0 : Int64.random(in: 1...300, using: &random)
      (key, rank) = (key - gap, rank + Int(gap))
      upper = .above(key: key)
    }
    let pattern = FeedPattern("items", order: order, content: "items", paging: paging)
    var plan = Plan(timeline: timeline, of: pattern, policy: Policy(), now: now)
    for run in timeline.runs where Bool.random(using: &random) {
      plan.attempts[run.lower, default: ExtensionAttempts()].misses = 1
    }
    return plan
  }

  /// What plans do for readers who begin anywhere.
  private static func steps(of paging: Paging) -> [(plan: Plan, step: Step)] {
    var random = SeededGenerator(seed: 44)
    return (0..<200).flatMap { number in
      let plan = plan(of: paging, number.isMultiple(of: 3) ? .observed : .value, &random)
      var demand = Demand(limit: Int.random(in: 1...100, using: &random), arrivedAt: plan.now)
      let key = Int64.random(in: 9_000...10_000, using: &random)
      demand.takesLast = Bool.random(using: &random)
      let cut = [Cut.above(key: key), plan.timeline.runs[0].lower].randomElement(using: &random)
      if demand.takesLast { demand.end = cut ?? .bottom } else { demand.start = cut ?? .top }
      if number.isMultiple(of: 5) { demand.rank = Int.random(in: 1...900, using: &random) }
      let count = Int.random(in: 0...101, using: &random)
      switch plan.begin(demand) {
      case .step(let step): return [(plan, step)]
      case .locate(let scope, let offset):
        return [(plan, plan.reach(offset, below: scope.run, for: demand))]
      case .read(let scope):
        let found = Found(count: count, bound: scope.lower, hasAbove: true, hasBelow: true)
        return [(plan, plan.nextStep(for: demand, in: scope, found: found))]
      }
    }
  }

  /// Whether a value is a window or holds one.
  private static func holdsWindow(_ value: Any) -> Bool {
    value is Window || Mirror(reflecting: value).children.contains { holdsWindow($0.value) }
  }

  private static func asks(of step: Step) -> [Ask] {
    switch step {
    case .fetch(let ask): [ask]
    case .serve(let outcome): outcome.looks
    case .pass, .show, .expired, .fail: []
    }
  }

  @Test(arguments: pagings)
  func aPlanNamesPlacesAndNoPages(paging: Paging) {
    let steps = Self.steps(of: paging)
    #expect(steps.contains { !Self.asks(of: $0.step).isEmpty })
    #expect(!steps.contains { Self.holdsWindow($0.step) })
  }

  /// So what is asked for departs, and by the same knowledge twice the same.
  @Test(arguments: pagings)
  func exactlyOneFunctionNamesThePage(paging: Paging) {
    for (plan, step) in Self.steps(of: paging) {
      for ask in Self.asks(of: step) {
        let page = plan.request(for: ask.place, by: AllHandles())
        #expect(page != nil, "\(ask)")
        #expect(page == plan.request(for: ask.place, by: AllHandles()))
      }
    }
  }

  /// Where nothing names a place the top is asked for, and no page without a name.
  @Test(arguments: pagings)
  func aPageDepartsWithItsName(paging: Paging) {
    for (plan, step) in Self.steps(of: paging) {
      for ask in Self.asks(of: step) {
        let page = plan.request(for: ask.place, by: AllHandles())
        #expect(page?.isUnnamed != true || page?.isTop == true, "\(ask)")
      }
    }
  }
}
