import Bytes
import Feed

/// Elements of one feed that were read before, stretch by stretch: between the two cuts of one
/// stand these and no others. Good for one state of the feed.
struct RangeCache {
  private struct Stretch {
    var range: CutRange
    /// In feed order, one at least.
    var elements: [Element]

    /// Where those begin that lie below a cut.
    func index(below cut: Cut) -> Int {
      elements.indices.partitioningIndex { !cut.isBelow(elements[$0].position) }
    }

    /// Which of them stand in a range.
    func indices(below upper: Cut, above lower: Cut) -> Range<Int> {
      let first = index(below: upper)
      return first..<max(first, index(below: lower))
    }
  }

  /// Top first; between two of them something is not known.
  private var stretches: [Stretch] = []

  /// How many elements are known.
  var count: Int { stretches.reduce(0) { $0 + $1.elements.count } }

  /// Up to `limit` elements from right below `upper` on, no lower than `lower`; nil where not all
  /// of them are known. `limit` is 1 or more.
  func elements(below upper: Cut, above lower: Cut, limit: Int) -> ArraySlice<Element>? {
    let next = stretches.indices.partitioningIndex { stretches[$0].range.lower < upper }
    guard next < stretches.count, stretches[next].range.upper >= upper else { return nil }
    let stretch = stretches[next]
    let indices = stretch.indices(below: upper, above: lower)
    guard indices.count >= limit || stretch.range.lower <= lower else { return nil }
    return stretch.elements[indices].prefix(limit)
  }

  /// Up to `limit` elements from right above `lower` on, no higher than `upper`; nil where not all
  /// of them are known. `limit` is 1 or more.
  func lastElements(below upper: Cut, above lower: Cut, limit: Int) -> ArraySlice<Element>? {
    let next = stretches.indices.partitioningIndex { stretches[$0].range.lower <= lower }
    guard next < stretches.count, stretches[next].range.upper > lower else { return nil }
    let stretch = stretches[next]
    let indices = stretch.indices(below: upper, above: lower)
    guard indices.count >= limit || stretch.range.upper >= upper else { return nil }
    return stretch.elements[indices].suffix(limit)
  }

  /// Whether an element is known to stand in a range.
  func holdsElement(below upper: Cut, above lower: Cut) -> Bool {
    let next = stretches.partitioningIndex { stretch in
      stretch.elements.last.map { !upper.isBelow($0.position) } ?? false
    }
    guard next < stretches.count else { return false }
    let stretch = stretches[next]
    return lower.isBelow(stretch.elements[stretch.index(below: upper)].position)
  }

  /// Notes elements that were read: that they stand in a range, and no others. Those that are known
  /// there already are the same. Gives how many more are known now.
  mutating func note(_ elements: [Element], below upper: Cut, above lower: Cut) -> Int {
    guard !elements.isEmpty else { return 0 }
    var stretch = Stretch(range: CutRange(upper: upper, lower: lower), elements: elements)
    // Those that it overlaps, or that begin where it ends.
    let first = stretches.partitioningIndex { $0.range.lower <= upper }
    let end = stretches.partitioningIndex { $0.range.upper < lower }
    let before = stretches[first..<end].reduce(0) { $0 + $1.elements.count }
    if first < end {
      let (above, below) = (stretches[first], stretches[end - 1])
      if above.range.upper > upper {
        stretch.elements.insert(contentsOf: above.elements[..<above.index(below: upper)], at: 0)
        stretch.range.upper = above.range.upper
      }
      if below.range.lower < lower {
        stretch.elements.append(contentsOf: below.elements[below.index(below: lower)...])
        stretch.range.lower = below.range.lower
      }
    }
    stretches.replaceSubrange(first..<end, with: CollectionOfOne(stretch))
    return stretch.elements.count - before
  }
}
