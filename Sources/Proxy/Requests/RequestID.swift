import Bytes
import HTTP
import Synchronization

/// A request's id in replies and logs: `X-Request-Id`.
enum RequestID {
  /// The last id on the uncached path.
  private static let place = Atomic(UInt64.random(in: .min ... .max))

  /// The most bytes of an id taken from a client.
  static let bytesMax = 64

  /// A new id, for a request that brought none; without a system call.
  static func random() -> String {
    base36(mixed(place.wrappingAdd(step, ordering: .relaxed).newValue))
  }

  /// What a request is called: by its client, if that is a good id, else by us.
  static func of(_ fields: Fields) -> String {
    let id = fields["X-Request-Id"] ?? ""
    return isGood(id.utf8) ? id : random()
  }

  /// From one id's place to the next's: SplitMix64.
  static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The id at a place, which shows nothing of those beside it at first sight.
  static func mixed(_ place: UInt64) -> UInt64 {
    var mixed = place
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
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

/// Makes request ids on one loop, where not even other loops share the place.
///
/// They tell requests apart; they are no secret.
struct RequestIDs {
  private var state = UInt64.random(in: .min ... .max)

  /// The next id: 16 hexadecimal digits, given to `body`.
  mutating func next(_ body: (UnsafeRawBufferPointer) -> Void) {
    state &+= RequestID.step
    let mixed = RequestID.mixed(state)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      for index in digits.indices {
        let digit = UInt8(truncatingIfNeeded: mixed >> UInt64(60 - 4 * index)) & 15
        digits[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      }
      body(UnsafeRawBufferPointer(digits))
    }
  }
}
