import Synchronization

/// The number of open connections of all loops together.
final class OpenConnections: Sendable {
  private let count = Atomic<Int>(0)

  /// How many there are now.
  var number: Int { count.load(ordering: .relaxed) }

  /// Counts one more; gives the new number.
  func open() -> Int { count.add(1, ordering: .relaxed).newValue }

  /// Counts one less.
  func close() { count.subtract(1, ordering: .relaxed) }
}
