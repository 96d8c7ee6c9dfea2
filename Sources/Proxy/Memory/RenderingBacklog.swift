import Feed
import Synchronization

/// The items of large slices that are not rendered yet: what all loops have read of them, and what
/// those were given who waited for the upstream.
final class RenderingBacklog: Sendable {
  /// With so many bytes of items no further slice is read for being rendered: what a hundred
  /// clients request together would be as large as a small machine.
  let bytesMax: Int

  private struct Waiter {
    var bytes: Int
    var turn: CheckedContinuation<Void, Never>
  }

  private struct State {
    var bytes = 0
    var waiters = LineBySize<Waiter>()

    /// Lets in who waits, as far as there is room.
    mutating func letIn(upTo bytesMax: Int) -> [CheckedContinuation<Void, Never>] {
      var turns: [CheckedContinuation<Void, Never>] = []
      while bytes < bytesMax, let waiter = waiters.takeNext() {
        bytes += waiter.bytes
        turns.append(waiter.turn)
      }
      return turns
    }
  }

  private let state = Mutex(State())

  /// A backlog of so many bytes.
  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Whether a loop with `count` of these slices may have one more: each loop may have one.
  func hasRoom(beside count: Int) -> Bool {
    count == 0 || state.withLock { $0.bytes < bytesMax }
  }

  /// How many wait for room.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Counts so many bytes more, or less where that is negative: what a slice is counted as changes
  /// in one step, or those who wait would be let in by the room that it leaves and takes again.
  fileprivate func change(by count: Int) {
    let turns = state.withLock {
      $0.bytes += count
      return $0.letIn(upTo: bytesMax)
    }
    for turn in turns { turn.resume() }
  }

  /// Counts a slice of so many bytes, if there is room.
  fileprivate func beginIfRoom(_ count: Int) -> Bool {
    state.withLock {
      guard $0.bytes < bytesMax, $0.waiters.isEmpty else { return false }
      $0.bytes += count
      return true
    }
  }

  /// Waits until there is room, and counts a slice of so many bytes.
  fileprivate func wait(_ count: Int) async {
    await withCheckedContinuation { turn in
      let turns = state.withLock {
        $0.waiters.add(Waiter(bytes: count, turn: turn), bytes: count)
        return $0.letIn(upTo: bytesMax)
      }
      for turn in turns { turn.resume() }
    }
  }
}

/// The place of one slice in the backlog, until it is rendered or released.
final class RenderingPlace: SliceRoom {
  private let backlog: RenderingBacklog
  /// What is counted for it; nil where it is no place yet.
  private let bytes = Mutex<Int?>(nil)

  /// A place for a slice that is not there yet.
  init(in backlog: RenderingBacklog) {
    self.backlog = backlog
  }

  /// A place for changes that are about to be read, when there is room for as many as that mostly
  /// are. Clients that listen get it at the same time, and each may have a form of its own.
  init(forChangesIn backlog: RenderingBacklog) async {
    self.backlog = backlog
    await wait(for: RenderingPlace.changesBytes)
  }

  /// What changes are counted as before they are read, in bytes.
  static let changesBytes = 1 << 20

  deinit { leave() }

  /// Counts a slice that is there, whether or not there is room.
  func enter(_ count: Int) {
    let before = bytes.withLock { bytes in
      defer { bytes = count }
      return bytes ?? 0
    }
    backlog.change(by: count - before)
  }

  func take(_ count: Int) -> Bool {
    // Who has waited has its turn, even where the slice is another by now.
    let hasTurn = count == 0 || bytes.withLock { $0 } != nil
    if hasTurn {
      enter(count)
      return true
    }
    guard backlog.beginIfRoom(count) else { return false }
    bytes.withLock { $0 = count }
    return true
  }

  func wait(for count: Int) async {
    await backlog.wait(count)
    bytes.withLock { $0 = count }
  }

  /// Counts nothing any more.
  func leave() {
    guard let count = bytes.withLock({ $0.take() }) else { return }
    backlog.change(by: -count)
  }
}
