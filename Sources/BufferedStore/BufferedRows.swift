import Bytes
import Feed

/// Buffered rows of one feed, top first, indexed by position and by identity.
struct BufferedRows {
  private var sorted: [KnownElement] = []
  private var places: [Identity: [Position]] = [:]

  /// How many there are.
  var count: Int { sorted.count }

  /// The places below one cut and above another.
  func between(_ upper: Cut, _ lower: Cut) -> ArraySlice<KnownElement> {
    let begin = index(below: upper.position)
    return sorted[begin..<max(begin, index(below: lower.position))]
  }

  /// Where an identity stands or stood.
  func of(_ id: Identity) -> [KnownElement] {
    (places[id] ?? []).compactMap { self[$0] }
  }

  /// What is known at a position.
  subscript(_ position: Position) -> KnownElement? {
    let index = index(below: position) - 1
    return index >= 0 && sorted[index].position == position ? sorted[index] : nil
  }

  /// Puts an element at its place, instead of what was known there.
  mutating func put(_ element: KnownElement) {
    let index = index(below: element.position)
    if index > 0, sorted[index - 1].position == element.position {
      forget(sorted[index - 1])
      sorted[index - 1] = element
    } else {
      sorted.insert(element, at: index)
    }
    places[element.id, default: []].append(element.position)
  }

  /// Forgets what stands below a cut.
  mutating func cut(below cut: Cut) {
    let end = index(below: cut.position)
    for element in sorted[end...] { forget(element) }
    sorted.removeSubrange(end...)
  }

  private mutating func forget(_ element: KnownElement) {
    places[element.id]?.removeAll { $0 == element.position }
    if places[element.id]?.isEmpty == true { places[element.id] = nil }
  }

  /// The first place whose position is smaller.
  private func index(below position: Position) -> Int {
    sorted.partitioningIndex { $0.position < position }
  }
}
