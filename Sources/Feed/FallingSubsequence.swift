/// Marks a longest subsequence that never rises, as quick as sorting (patience sorting).
func longestFallingSubsequence<Value: Comparable>(_ values: [Value]) -> [Bool] {
  // Patience sorting: `ends[n]` is where the best subsequence of n + 1 values ends.
  var ends: [Int] = []
  var previous = [Int?](repeating: nil, count: values.count)
  for (index, value) in values.enumerated() {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if values[ends[middle]] >= value { low = middle + 1 } else { high = middle }
    }
    previous[index] = low > 0 ? ends[low - 1] : nil
    if low == ends.count { ends.append(index) } else { ends[low] = index }
  }
  var marks = [Bool](repeating: false, count: values.count)
  var next = ends.last
  while let index = next {
    marks[index] = true
    next = previous[index]
  }
  return marks
}
