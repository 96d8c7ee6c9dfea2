/// The bytes of large bodies that have come and are not whole yet, of all sources together.
///
/// Past a limit only the eldest of them goes on, so that each becomes whole; the others wait.
/// The first bytes of a body are free: no page waits for somebody else's large file.
///
/// Used on the loop's thread alone.
final class HeldBodies {
  /// How much of each body comes without being counted.
  static let freeBytes = 1 << 20

  private let bytesMax: Int
  private var held: [Int: Int] = [:]
  private var lastNumber = 0

  /// Bodies of which so many bytes are held, and one body more.
  init(bytesMax: Int = 48 << 20) {
    self.bytesMax = bytesMax
  }

  /// The number of a body that begins, above those of all others.
  func begin() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Whether a body may take so many bytes more.
  func admits(_ count: Int, to number: Int) -> Bool {
    let own = held[number] ?? 0
    if own + count <= HeldBodies.freeBytes { return true }
    let counted = held.values.reduce(0) { $0 + max(0, $1 - HeldBodies.freeBytes) }
    let eldest = held.lazy.filter { $0.value > HeldBodies.freeBytes }.map(\.key).min()
    return counted + count <= bytesMax || eldest.map { number <= $0 } ?? true
  }

  /// Adds bytes that a body has by now.
  func add(_ count: Int, to number: Int) { held[number, default: 0] += count }

  /// Forgets a body that is whole or abandoned.
  func end(_ number: Int) { held[number] = nil }
}
