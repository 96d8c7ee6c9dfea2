import Glibc

/// A file descriptor that is closed exactly once, when its owner goes.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(_ number: Int) {
    self.number = Int32(number)
  }

  deinit {
    // Linux releases the descriptor whatever close returns; trying again could close another's.
    _ = close(number)
  }
}
