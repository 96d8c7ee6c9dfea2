/// Requests for large slices that wait for room to render them, those for little first; those who
/// ask for the same wait together.
struct DelayedSlices {
  private struct Entry {
    var asked: SliceCall
    var waiters: [SliceWaiter]
  }

  /// By the order in which they came.
  private var entries: [Int: Entry] = [:]
  private var numbers: [SliceCall.Key: Int] = [:]
  private var line = LineBySize<Int>()
  private var end = 0

  /// Lets those who ask for a slice of so many bytes wait behind others who ask for as much, or
  /// with those who ask for the same.
  mutating func add(_ asked: SliceCall, _ waiters: [SliceWaiter], bytes: Int) {
    let key = asked.isShared ? asked.key : nil
    if let key, let number = numbers[key] {
      entries[number]?.waiters += waiters
      return
    }
    if let key { numbers[key] = end }
    entries[end] = Entry(asked: asked, waiters: waiters)
    line.add(end, bytes: bytes)
    end += 1
  }

  /// Whose turn it is, and all who ask for the same.
  mutating func takeNext() -> (asked: SliceCall, waiters: [SliceWaiter])? {
    guard let entry = line.takeNext().flatMap({ entries.removeValue(forKey: $0) })
    else { return nil }
    if entry.asked.isShared { numbers[entry.asked.key] = nil }
    return (entry.asked, entry.waiters)
  }
}
