import Bytes

/// Marks a longest subsequence that never rises, as quick as sorting (patience sorting).
func longestFallingSubsequence<Value: Comparable>(_ values: [Value]) -> [Bool] {
  // Patience sorting: `ends[n]` is where the best subsequence of n + 1 values ends.
  var ends: [Int] = []
  var previous = [Int?](repeating: nil, count: values.count)
  for (index, value) in values.enumerated() {
    let place = ends.partitioningIndex { values[$0] < value }
    previous[index] = place > 0 ? ends[place - 1] : nil
    if place == ends.count { ends.append(index) } else { ends[place] = index }
  }
  var marks = [Bool](repeating: false, count: values.count)
  var next = ends.last
  while let index = next {
    marks[index] = true
    next = previous[index]
  }
  return marks
}
