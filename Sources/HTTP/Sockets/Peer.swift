import CEpoll
import Glibc

/// A client's IP address, kept in 16 bytes so that a connection holds no text for it.
package struct Peer: Hashable, Sendable, CustomStringConvertible {
  /// The address as IPv6, network byte order; IPv4 is mapped (::ffff:0:0/96).
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// 127.0.0.1.
  package static var loopback: Peer { Peer(ipv4: 0x7F00_0001) }

  /// Whether it is this machine: `127.0.0.0/8` or `::1`.
  package var isLoopback: Bool {
    high == 0 && (low == 1 || low >> 24 == 0x0000_FFFF_7F)
  }

  /// The address as one number, IPv4 mapped.
  package var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Whom to count as one: an IPv4 address by itself, of IPv6 the /64 that one customer has.
  package var site: Peer {
    var site = self
    if high != 0 { site.low = 0 }
    return site
  }

  private init(ipv4: UInt32) {
    low = 0x0000_FFFF_0000_0000 | UInt64(ipv4)
  }

  /// Reads an address in text, `192.0.2.1` or `2001:db8::1`; nil when it is neither.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(ipv4: UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self.init(six)
    } else {
      return nil
    }
  }

  private init(_ address: in6_addr) {
    withUnsafeBytes(of: address) { bytes in
      high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  /// Reads what `accept4` filled in; another family than IPv4 and IPv6 becomes `::`.
  init(_ storage: sockaddr_storage) {
    self = withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        Peer(ipv4: UInt32(bigEndian: bytes.load(as: sockaddr_in.self).sin_addr.s_addr))
      case AF_INET6:
        Peer(bytes.load(as: sockaddr_in6.self).sin6_addr)
      default:
        Peer(in6_addr())
      }
    }
  }

  /// The address in text; a mapped IPv4 address reads as IPv4.
  package var description: String {
    if high == 0 && low >> 32 == 0xFFFF {
      return [24, 16, 8, 0].map { String((low >> UInt64($0)) & 0xFF) }.joined(separator: ".")
    }
    var network = (high.bigEndian, low.bigEndian)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let start = text.baseAddress,
        inet_ntop(AF_INET6, &network, start, socklen_t(text.count)) != nil
      else { return "::" }
      return String(cString: start)
    }
  }
}
