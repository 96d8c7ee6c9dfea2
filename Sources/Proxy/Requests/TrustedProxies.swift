import Bytes
import HTTP

/// Who makes a request; decided by ``TrustedProxies`` alone.
struct ClientAddress: Hashable, Sendable {
  /// The address that limits count and the access log names.
  let peer: Peer
  /// Whether the request was made on this machine, and not only passed on by a program here.
  let isLocal: Bool
}

/// The proxies that may name the client of a request, and the rule by which they do.
///
/// A proxy adds the address of its own client at the end of `X-Forwarded-For`. So the list is read
/// from its end, through the trusted proxies, to the first address that is none; what stands before
/// that may be anybody's invention. With `10.0.0.0/8` trusted, a connection from `10.0.0.1` and
/// `X-Forwarded-For: 192.0.2.7, 203.0.113.9, 10.0.0.2`, the client is `203.0.113.9`.
///
/// `Forwarded` (RFC 7239) names no client: a proxy that does not write it passes on its client's.
struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// The proxies with these addresses.
  init(_ ranges: [AddressRange] = []) {
    self.ranges = ranges
  }

  /// Whether there are none.
  var isEmpty: Bool { ranges.isEmpty }

  /// Whether what a peer says of others is believed.
  func trusts(_ peer: Peer) -> Bool { ranges.contains { $0.contains(peer) } }

  /// The client behind the connection of `peer`, by all lines of its `X-Forwarded-For`.
  func client(
    behind peer: Peer, forwardedFor: @autoclosure () -> String?,
    hasForwarded: @autoclosure () -> Bool
  ) -> ClientAddress {
    guard trusts(peer) else {
      // Another proxy of this machine may have passed it on.
      let isDirect = peer.isLoopback && forwardedFor() == nil && !hasForwarded()
      return ClientAddress(peer: peer, isLocal: isDirect)
    }
    guard let list = forwardedFor() else { return ClientAddress(peer: peer, isLocal: false) }
    let hops = list.split(separator: ",", omittingEmptySubsequences: false).reversed().lazy.map {
      Peer(forwarded: $0.trimmed)
    }
    let isLocal = peer.isLoopback && !hasForwarded() && hops.allSatisfy { $0?.isLoopback == true }
    var client = peer
    for hop in hops {
      guard let hop else { break }
      client = hop
      guard trusts(hop) else { break }
    }
    return ClientAddress(peer: client, isLocal: isLocal)
  }
}

extension Peer {
  /// Reads an address as proxies write it, some with its port: `192.0.2.1`, `192.0.2.1:4711`,
  /// `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`; nil when it is none.
  fileprivate init?(forwarded text: Substring) {
    var address = text
    if address.first == "[" {
      guard let end = address.firstIndex(of: "]"),
        Peer.isPort(address[address.index(after: end)...])
      else { return nil }
      address = address[..<end].dropFirst()
      guard address.contains(":") else { return nil }
    } else if let colon = address.firstIndex(of: ":"), colon == address.lastIndex(of: ":") {
      guard Peer.isPort(address[colon...]) else { return nil }
      address = address[..<colon]
    }
    self.init(String(address))
  }

  /// Nothing, or a colon and a port.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || (text.first == ":" && UInt16(text.dropFirst()) != nil)
  }
}

extension Substring {
  /// The text without the spaces and tabs around it.
  var trimmed: Substring {
    var text = utf8.drop(while: FieldGrammar.isBlank)
    while let last = text.last, FieldGrammar.isBlank(last) { text.removeLast() }
    return Substring(text)
  }
}
