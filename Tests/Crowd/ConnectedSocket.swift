import Glibc

/// What the system said when no connection could be made.
package struct ConnectFailure: Error {
  /// The system's error number.
  package var code: Int32
}

/// A socket connected to a port of this machine, with a small buffer for what comes if told; a read
/// that waits longer than `receiveSeconds` fails.
package func connectedSocket(
  _ port: Int, receiveBytes: Int32? = nil, receiveSeconds: Int? = nil
) throws -> Int32 {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = socket(AF_INET, type, 0)
  guard descriptor >= 0 else { throw ConnectFailure(code: errno) }
  if var receiveBytes {
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
  }
  if let receiveSeconds {
    var timeout = timeval(tv_sec: receiveSeconds, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard connected == 0 else {
    let code = errno
    close(descriptor)
    throw ConnectFailure(code: code)
  }
  return descriptor
}
