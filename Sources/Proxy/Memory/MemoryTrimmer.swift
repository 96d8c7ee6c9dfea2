import CMalloc
import Dispatch
import Synchronization

/// Returns unused memory between allocated blocks to the system.
///
/// The items of large slices are blocks of some KB that come and go by the thousand, and glibc
/// keeps what was freed among others for ever. So the heap is gone through some time after many
/// were freed: among 300 clients that leave slices of 2.7 MB unread it then takes half as much.
final class MemoryTrimmer: Sendable {
  /// So many bytes of items are freed at least between two times.
  static let bytesMin = 16 << 20
  /// How long after that the heap is gone through: what is freed meanwhile goes with it.
  static let delay = DispatchTimeInterval.milliseconds(500)

  private let freed = Mutex(0)
  private let queue = DispatchQueue(label: "tsugi.memory")
  private let trim: @Sendable () -> Void

  /// A trimmer; `trim` goes through the heap.
  init(trim: @escaping @Sendable () -> Void = { malloc_trim(0) }) {
    self.trim = trim
  }

  /// Notes that so many bytes of items were freed.
  func note(freed count: Int) {
    let isDue = freed.withLock { freed in
      let before = freed
      freed += count
      return before < MemoryTrimmer.bytesMin && freed >= MemoryTrimmer.bytesMin
    }
    guard isDue else { return }
    queue.asyncAfter(deadline: .now() + MemoryTrimmer.delay) { [self] in
      freed.withLock { $0 = 0 }
      trim()
    }
  }
}
