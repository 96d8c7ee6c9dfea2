import HTTP

extension [AddressRange] {
  /// Who asks: the peer, or the last address in `X-Forwarded-For` that no trusted proxy has. What
  /// stands before it could be anybody's invention.
  func client(behind peer: Peer, forwardedFor: @autoclosure () -> String?) -> Peer {
    guard !isEmpty, trusts(peer), let list = forwardedFor() else { return peer }
    var client = peer
    for element in list.split(separator: ",", omittingEmptySubsequences: false).reversed() {
      let text = element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      guard let address = Peer(forwarded: text) else { return client }
      client = address
      guard trusts(address) else { return client }
    }
    return client
  }

  private func trusts(_ peer: Peer) -> Bool {
    contains { $0.contains(peer) }
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
