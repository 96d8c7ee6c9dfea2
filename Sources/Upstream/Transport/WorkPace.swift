/// Yields to the event loops from time to time while a large answer is taken or read.
///
/// A page of 3 MB is some 10 ms of work, and event loops beside it should not wait that
/// long.
struct WorkPace {
  /// Bytes between two pauses: some 50 µs of reading JSON, less of taking it from the network.
  static let pieceBytes = 32 << 10

  private let pause: @Sendable () -> Void
  private var bytes = 0

  /// Calls `pause` after every ``pieceBytes``.
  init(_ pause: @escaping @Sendable () -> Void) {
    self.pause = pause
  }

  /// Notes work that was done; pauses when it is enough, however much more it was.
  mutating func note(bytes count: Int) {
    bytes += count
    guard bytes >= WorkPace.pieceBytes else { return }
    bytes = 0
    pause()
  }
}
