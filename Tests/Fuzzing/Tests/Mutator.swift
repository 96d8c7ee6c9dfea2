import History
import Support

/// Makes inputs of inputs: a few bytes changed, cut out, repeated, or joined to another's end.
struct Mutator {
  private var random: SeededGenerator

  /// One seed, one row of inputs.
  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &random)
  }

  private mutating func range(in bytes: [UInt8]) -> Range<Int> {
    let start = number(below: bytes.count + 1)
    return start..<min(bytes.count, start + 1 + number(below: 16))
  }

  /// A new input out of these, of at most 2,048 bytes.
  mutating func input(from inputs: [[UInt8]]) -> [UInt8] {
    var bytes = inputs[number(below: inputs.count)]
    for _ in 0...number(below: 4) { change(&bytes, among: inputs) }
    return Array(bytes.prefix(2_048))
  }

  private mutating func change(_ bytes: inout [UInt8], among inputs: [[UInt8]]) {
    let place = range(in: bytes)
    switch number(below: 6) {
    case 0: bytes.insert(UInt8(number(below: 256)), at: place.lowerBound)
    case 1: bytes.removeSubrange(place)
    case 2: bytes.insert(contentsOf: bytes[place], at: place.upperBound)
    case 3: bytes.replaceSubrange(place.lowerBound..., with: other(inputs).suffix(64))
    case 4 where !place.isEmpty: bytes[place.lowerBound] ^= 1 << UInt8(number(below: 8))
    default: bytes.insert(contentsOf: other(inputs).prefix(32), at: place.lowerBound)
    }
  }

  private mutating func other(_ inputs: [[UInt8]]) -> [UInt8] {
    inputs[number(below: inputs.count)]
  }
}
