import Foundation

/// A port of 127.0.0.1 that was free a moment ago.
package func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { address in
    address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0
    }
  }
  guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
  return Int(UInt16(bigEndian: address.sin_port))
}
