extension RandomAccessCollection {
  /// Where the elements begin of which something holds, in a collection in which it holds of none
  /// before them and of all after; the end when it holds of none. Costs a logarithm of questions.
  @inlinable
  public func partitioningIndex(where holds: (Self.Element) -> Bool) -> Index {
    var low = startIndex
    var count = count
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if holds(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
