import Synchronization

/// The upstream's present second since 1970, moved by hand.
final class HandSecond: Sendable {
  private let second: Mutex<Int64>

  init(_ second: Int64) {
    self.second = Mutex(second)
  }

  var now: Int64 { second.withLock { $0 } }

  /// Moves it on and gives what it is then.
  @discardableResult
  func advance(by seconds: Int64 = 1) -> Int64 {
    second.withLock { second in
      second += seconds
      return second
    }
  }
}
