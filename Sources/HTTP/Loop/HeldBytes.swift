import Synchronization

/// What all loops of a server may hold for their peers together: replies that sockets do not take,
/// events that listeners are behind with, heads and bodies that are not whole.
///
/// Each of these has a limit of its own; thousands together would pass any machine's memory within
/// their limits. Nothing is counted while sockets take what they are sent.
package final class MemoryBudget: Sendable {
  /// Bytes that may be held.
  let limitBytes: Int
  private let total = Atomic(0)
  private let cut = Atomic(0)
  private let report: @Sendable () -> Void

  /// A budget; `report` is called when a connection was cut for the first time.
  init(limitBytes: Int, report: @escaping @Sendable () -> Void) {
    self.limitBytes = limitBytes
    self.report = report
  }

  /// Bytes held now, of all loops.
  var heldBytes: Int { total.load(ordering: .relaxed) }
  /// Connections cut for want of room since the start.
  var cutCount: Int { cut.load(ordering: .relaxed) }

  /// Whether more is held than may be.
  var isExceeded: Bool { heldBytes > limitBytes }

  fileprivate func add(_ bytes: Int) { total.add(bytes, ordering: .relaxed) }

  /// Counts a connection that was cut.
  func noteCut() {
    if cut.add(1, ordering: .relaxed).newValue == 1 { report() }
  }
}

/// One loop's share of the memory budget; used on its thread only.
final class HeldBytes {
  let budget: MemoryBudget
  /// Bytes this loop holds.
  private(set) var own = 0
  /// What a loop may hold, however much the others do: a part of half the budget. So a client who
  /// is slow for a moment is not cut for others' sake, and one and a half budgets are the most.
  let ownBytesMin: Int

  init(_ budget: MemoryBudget, loops: Int) {
    self.budget = budget
    ownBytesMin = budget.limitBytes / (2 * loops)
  }

  deinit {
    budget.add(-own)
  }

  /// Whether connections of this loop are to be cut.
  var isExceeded: Bool { own > ownBytesMin && budget.isExceeded }

  /// Something held has another size now.
  func change(from old: Int, to new: Int) {
    guard old != new else { return }
    own += new - old
    budget.add(new - old)
  }
}

/// The bytes of one buffer, counted as long as it exists.
struct HeldShare: ~Copyable {
  private let held: HeldBytes
  private(set) var bytes = 0

  init(of held: HeldBytes) {
    self.held = held
  }

  /// It has this many bytes now.
  mutating func set(_ count: Int) {
    held.change(from: bytes, to: count)
    bytes = count
  }

  deinit {
    held.change(from: bytes, to: 0)
  }
}

extension EventLoop {
  /// Cuts connections of this loop until there is room again: the one first that has held most for
  /// longest.
  func makeRoomInMemory() {
    while held.isExceeded {
      var worst: (score: Int64, ticket: Ticket)?
      for slot in connections.slots {
        let connection = connections.pointer(slot)
        guard let share = connection.pointee.heldShare(at: now) else { continue }
        let score = Int64(share.bytes) * (1 + max(0, share.age))
        guard score > worst?.score ?? 0 else { continue }
        worst = (score, Ticket(slot: slot, generation: connection.pointee.generation))
      }
      guard let ticket = worst?.ticket, let connection = connections.connection(ticket) else {
        return
      }
      held.budget.noteCut()
      cutStream(connection, ticket)
    }
  }
}

extension Connection {
  /// What is held for it, and for how many milliseconds it has not moved; nil where nothing is.
  fileprivate func heldShare(at now: Int64) -> (bytes: Int, age: Int64)? {
    guard phase != .free else { return nil }
    let waits = outgoing?.heldBytes ?? 0
    let bytes = waits + (incoming?.heldBytes ?? 0)
    guard bytes > 0 else { return nil }
    let since = waits > 0 ? outgoing?.lastTakenAt : incoming?.since
    return (bytes, since.map { now - $0 } ?? 0)
  }
}
