/// Whether a new connection is read from immediately, or only when the system reports that its
/// request is there: a read in vain costs as much as it saves. It is tried while it mostly brings
/// something, and else now and then.
struct FirstReads {
  /// Reads in vain in a row, after which it is tried only now and then.
  static let missesMax = 8
  /// How often it is tried then: for one connection in so many.
  static let trialsEach = 32

  private var misses = 0

  /// Whether the next connection is to be read from immediately.
  var isDue: Bool {
    misses < FirstReads.missesMax || misses % FirstReads.trialsEach == 0
  }

  /// Notes what became of a connection: that nothing had come with it, or that something had.
  mutating func note(isInVain: Bool) {
    misses = isInVain ? misses &+ 1 : 0
  }
}
