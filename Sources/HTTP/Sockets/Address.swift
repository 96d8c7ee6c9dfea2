import Glibc

/// Where a server listens: a host in text and a port.
package struct Address: Hashable, Sendable, CustomStringConvertible {
  /// A numeric IPv4 or IPv6 address (without brackets), or a name that resolves to one.
  package var host: String
  /// 0 to 65535; 0 lets the system choose.
  package var port: Int

  /// Makes an address; nothing is resolved yet.
  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// The address as a URL writes it: `127.0.0.1:8080`, `[::1]:8080`.
  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Resolves the host and gives the first result to `body`; may block when it is a name.
  func withSocketAddress<Result: ~Copyable>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(ServerError) -> Result
  ) throws(ServerError) -> Result {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard (0...65535).contains(port), getaddrinfo(host, String(port), &hints, &found) == 0 else {
      throw .hostUnknown(host)
    }
    defer { freeaddrinfo(found) }
    guard let first = found?.pointee, let address = first.ai_addr else {
      throw .hostUnknown(host)
    }
    return try body(address, first.ai_addrlen)
  }
}
