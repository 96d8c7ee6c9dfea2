import Testing

@testable import Feed

/// How new elements stand to known ones that an answer does not show.
@Suite struct InterleavingTests {
  /// `n` is new, `!` cannot be used; the depth of each new one between two neighbours, with so many
  /// known ones not shown.
  @Test(
    arguments: [
      ("n", 0, [0]), ("n", 2, [0]), ("n!", 1, [0]), ("!n", 1, [1]), ("!n", 3, [3]),
      ("n!n", 1, [0, 1]), ("n!n", 2, [0, 2]), ("!n!", 2, [1]), ("!n!", 1, [1]), ("!n!", 3, [2]),
      ("!!n!n", 3, [2, 3]), ("!n", 0, [0]),
    ] as [(String, Int, [Int])])
  func eachNewOneStandsWhereItCame(answer: String, known: Int, depths: [Int]) {
    let indices = answer.enumerated().filter { $0.element == "n" }.map { $0.offset + 5 }
    let interleaving = Interleaving(
      indices: indices, after: 4, before: 5 + answer.count, known: known)
    let found = interleaving.groups.flatMap { group in group.offsets.map { _ in group.depth } }
    #expect(found == depths)
    #expect(interleaving.groups.flatMap { Array($0.offsets) } == Array(indices.indices))
  }
}
