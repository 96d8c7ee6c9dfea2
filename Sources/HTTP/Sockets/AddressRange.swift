import Glibc

/// One IP address or a range of them: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressRange: Hashable, Sendable {
  /// The text it was read from.
  package let text: String
  /// The first address, as IPv6; IPv4 is mapped (::ffff:0:0/96), as in ``Peer``.
  private let first: UInt128
  /// One bits where an address must agree with `first`.
  private let mask: UInt128

  /// Reads an address, or one with a prefix length; nil for anything else, and when the address
  /// has bits below the prefix: `10.0.0.1/8` is either one address or a slip.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let address = parts.first, let bits = AddressRange.bits(of: address) else { return nil }
    let widest = address.contains(":") ? 128 : 32
    var length = widest
    if parts.count == 2 {
      guard let given = Int(parts[1]), (0...widest).contains(given), String(given) == parts[1]
      else { return nil }
      length = given
    }
    // A shift by all 128 bits gives zero in Swift: a length of 0 asks for no agreement.
    let mask = UInt128.max << UInt128(widest - length)
    guard parts.count <= 2, bits & ~mask == 0 else { return nil }
    self.text = text
    self.first = bits
    self.mask = mask
  }

  /// Whether the address, in text, lies in it; false for what is no address.
  package func contains(_ address: String) -> Bool {
    guard let bits = AddressRange.bits(of: address) else { return false }
    return bits & mask == first
  }

  /// Whether a client's address lies in it.
  package func contains(_ peer: Peer) -> Bool { peer.bits & mask == first }

  private static func bits(of address: String) -> UInt128? {
    // inet_pton stops at a NUL, and would take what stands before it.
    guard address.utf8.allSatisfy({ $0 > 0 }) else { return nil }
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 {
      return 0xFFFF_0000_0000 | UInt128(UInt32(bigEndian: four.s_addr))
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
    return withUnsafeBytes(of: six) { bytes in
      UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self))
    }
  }
}
