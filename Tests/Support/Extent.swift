import Foundation

/// How many cases of a seeded test run: a part of them in `swift test`, all of them in
/// `.ci/long tests`, which sets `TSUGI_TESTS=all`.
package enum Extent {
  /// Whether all cases run.
  package static let isAll = ProcessInfo.processInfo.environment["TSUGI_TESTS"] == "all"

  /// The seeds from 0 on: so many in `swift test`, `all` of them in `.ci/long tests`.
  package static func seeds(_ count: UInt64, of all: UInt64) -> Range<UInt64> {
    0..<(isAll ? all : count)
  }

  /// Each pair of an element of one list with one of another.
  package static func pairs<First, Second>(
    _ first: some Sequence<First>, _ second: [Second]
  ) -> [(First, Second)] {
    first.flatMap { first in second.map { (first, $0) } }
  }
}

extension Collection where Index: Hashable {
  /// So many elements in `swift test`, the same in every run and in their order; all of them in
  /// `.ci/long tests`. Another `name` chooses others.
  package func sample(_ count: Int, for name: String = "") -> [Element] {
    guard !Extent.isAll, count < self.count else { return Array(self) }
    let seed = name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    var generator = SeededGenerator(seed: seed)
    let chosen = Set(self.indices.shuffled(using: &generator).prefix(count))
    return self.indices.filter { chosen.contains($0) }.map { self[$0] }
  }
}
