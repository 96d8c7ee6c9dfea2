/// Requests for large slices that wait for room to render them, first come first; those who ask for
/// the same wait together.
struct DelayedSlices {
  private struct Entry {
    var asked: AskedSlice
    var waiters: [SliceWaiter]
  }

  /// By the order in which they came.
  private var entries: [Int: Entry] = [:]
  private var numbers: [AskedSlice.Key: Int] = [:]
  private var first = 0
  private var end = 0

  /// Lets those who ask for a slice wait behind all others, or with those who ask for the same.
  mutating func add(_ asked: AskedSlice, _ waiters: [SliceWaiter]) {
    let key = asked.isShared ? asked.key : nil
    if let key, let number = numbers[key] {
      entries[number]?.waiters += waiters
      return
    }
    if let key { numbers[key] = end }
    entries[end] = Entry(asked: asked, waiters: waiters)
    end += 1
  }

  /// Who came first, and all who ask for the same.
  mutating func takeFirst() -> (asked: AskedSlice, waiters: [SliceWaiter])? {
    guard let entry = entries.removeValue(forKey: first) else { return nil }
    first += 1
    if entry.asked.isShared { numbers[entry.asked.key] = nil }
    return (entry.asked, entry.waiters)
  }
}
