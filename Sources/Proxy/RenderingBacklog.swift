import Synchronization

/// What all loops have read of large slices that are not rendered yet.
final class RenderingBacklog: Sendable {
  /// With so many bytes of items no further slice is read for being rendered: what a hundred
  /// clients ask for at once would be as large as a small machine.
  static let bytesMax = 32 << 20

  private let bytes = Atomic(0)

  /// Whether a loop with `count` of these slices may have one more: each loop may have one.
  func hasRoom(beside count: Int) -> Bool {
    count == 0 || bytes.load(ordering: .relaxed) < RenderingBacklog.bytesMax
  }

  /// Counts a slice of so many bytes.
  func begin(_ count: Int) { bytes.add(count, ordering: .relaxed) }

  /// Counts it no longer.
  func end(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
