import Feed
import Support
import Synchronization

/// What the upstreams of several parts have, as only the judge knows it: items of realms, each in
/// some of the parts, with all that became of them.
final class ScriptedUpstream: Sendable {
  /// An item and its history.
  struct Item {
    let realm: Int
    let id: Identity
    /// The key in milliseconds from each instant on; nil where it had gone.
    var keys: [(at: Timestamp, key: Int64?)]
    /// The parts that show it, from each instant on.
    var members: [(at: Timestamp, parts: Set<Int>)]
    var revision = 0

    var key: Int64? { keys.last?.key }

    func shows(_ part: Int) -> Bool { members.last?.parts.contains(part) == true }
  }

  private struct State {
    var items: [Item] = []
    var random: SeededGenerator
    var number = 0
  }

  let clock: HandClock
  /// The realm of each part, and whether it counts seconds.
  let parts: [(realm: Int, unit: KeyUnit)]
  /// What the parts of each realm have stored.
  let contents: [StoredContents]
  private let state: Mutex<State>

  init(seed: UInt64, parts: [(realm: Int, unit: KeyUnit)], clock: HandClock) {
    (self.parts, self.clock) = (parts, clock)
    contents = parts.map { _ in StoredContents() }
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  var items: [Item] { state.withLock { $0.items } }

  /// The items of a part, falling, in its own places.
  func list(of part: Int) -> [Element] {
    let (realm, unit) = parts[part]
    let items = state.withLock { $0.items }
    let elements = items.compactMap { item -> Element? in
      guard item.realm == realm, let key = item.key, item.shows(part) else { return nil }
      let order = unit == .seconds ? Timestamp(milliseconds: key).seconds : key
      return Element(
        position: Position(order: order, tie: item.id.bytes), id: item.id,
        bytes: Array("\(item.id.text).\(item.revision)".utf8))
    }
    return elements.sorted { $0.position > $1.position }
  }

  /// Adds an item this long ago, to its realm's parts by chance; in whole seconds where one of them
  /// counts so.
  func add(_ secondsAgo: Int, realm: Int) {
    state.withLock { state in
      let own = parts.indices.filter { parts[$0].realm == realm }
      var members = Set(own.filter { _ in state.random.chance(60) })
      if members.isEmpty, let first = own.first { members = [first] }
      state.number += 1
      // Few identities, so that two realms have the same.
      let id = Identity("\(["k", "m", "x"][state.number % 3])\(state.number / 2)")
      guard !state.items.contains(where: { $0.realm == realm && $0.id == id }) else { return }
      let key = key(secondsAgo, realm, &state.random)
      state.items.append(
        Item(realm: realm, id: id, keys: [(clock.now, key)], members: [(clock.now, members)]))
    }
  }

  private func key(_ secondsAgo: Int, _ realm: Int, _ random: inout SeededGenerator) -> Int64 {
    let second = clock.now.seconds - Int64(secondsAgo)
    let isInSeconds = parts.contains { $0.realm == realm && $0.unit == .seconds }
    return second * 1_000
      + (isInSeconds ? 0 : Int64(random.pick(0, 0, 250, random.next(below: 1_000))))
  }

  /// Moves an item to where it would stand if it were written this long ago.
  func move(_ id: Identity, realm: Int, to secondsAgo: Int) {
    state.withLock { state in
      for index in state.items.indices
      where state.items[index].id == id && state.items[index].realm == realm {
        state.items[index].keys.append((clock.now, (clock.now.seconds - Int64(secondsAgo)) * 1_000))
      }
    }
  }

  /// Changes something by chance: an item goes, is edited, moves, or leaves one of its parts.
  func drift(moves: Bool) {
    state.withLock { state in
      guard !state.items.isEmpty else { return }
      let index = state.random.next(below: state.items.count)
      guard state.items[index].key != nil else { return }
      switch state.random.next(below: moves ? 8 : 5) {
      case 0, 1: state.items[index].keys.append((clock.now, nil))
      case 2: state.items[index].revision += 1
      case 3, 4:
        var members = state.items[index].members.last?.parts ?? []
        guard members.count > 1, let gone = members.sorted().randomElement(using: &state.random)
        else { return }
        members.remove(gone)
        state.items[index].members.append((clock.now, members))
      default:
        let ago = state.random.next(below: 4_000)
        let key = key(ago + 3, state.items[index].realm, &state.random)
        state.items[index].keys.append((clock.now, key))
      }
    }
  }
}
