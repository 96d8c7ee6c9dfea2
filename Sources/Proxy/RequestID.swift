/// What names a request in replies and logs.
enum RequestID {
  /// The most bytes of an id taken from a client.
  static let bytesMax = 64

  /// A new id, for a request that brought none.
  static func random() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// Whether a client's id is taken: 1 to 64 of `A-Za-z0-9._-`.
  static func isGood(_ id: some Collection<UInt8>) -> Bool {
    (1...bytesMax).contains(id.count)
      && id.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default:
          false
        }
      }
  }
}

/// Makes request ids on one loop, without a system call each: SplitMix64 from a random start.
///
/// They tell requests apart; they are no secret.
struct RequestIDs {
  private var state = UInt64.random(in: .min ... .max)

  /// The next id: 16 hexadecimal digits, given to `body`.
  mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      for index in digits.indices {
        let digit = UInt8(truncatingIfNeeded: mixed >> UInt64(60 - 4 * index)) & 15
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      body(UnsafeRawBufferPointer(digits))
    }
  }
}
