import struct History.SeededGenerator

extension SeededGenerator {
  /// True with a chance of `percent` in a hundred.
  mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
