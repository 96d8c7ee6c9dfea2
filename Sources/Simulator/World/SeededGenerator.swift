/// Random numbers that are the same for the same seed (splitmix64), on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// A stream of its own for each pair of numbers under one seed.
  init(seed: UInt64, _ first: Int, _ second: Int = 0) {
    state = Self.mixed(seed, first, second)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A number in 0..<limit; 0 when the limit is below 1.
  mutating func below(_ limit: Int) -> Int {
    limit < 1 ? 0 : Int(next() % UInt64(limit))
  }

  /// True with the given probability: never for 0, always for 1.
  mutating func chance(_ probability: Double) -> Bool {
    Double(next() >> 11) < probability * 0x1p53
  }

  /// One number made of three: equal ones give equal results, near ones have nothing in common.
  static func mixed(_ seed: UInt64, _ first: Int, _ second: Int = 0) -> UInt64 {
    let inner = mixed(seed &+ 0x9E37_79B9_7F4A_7C15 &* UInt64(truncatingIfNeeded: first &+ 1))
    return mixed(inner &+ 0xD1B5_4A32_D192_ED03 &* UInt64(truncatingIfNeeded: second &+ 1))
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A walk through 0..<count that meets each number once before it comes to the first again.
struct Permutation {
  private let start: Int
  private let stride: Int
  let count: Int

  init(of count: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var stride = generator.below(count) | 1
    while Self.greatestDivisor(stride, count) > 1 { stride += 2 }
    start = generator.below(count)
    self.stride = stride
    self.count = count
  }

  /// The number met at `place`; 0 when there are none.
  subscript(place: Int) -> Int {
    count == 0 ? 0 : (start + place * stride) % count
  }

  private static func greatestDivisor(_ first: Int, _ second: Int) -> Int {
    second == 0 ? (first == 0 ? 1 : first) : greatestDivisor(second, first % second)
  }
}
