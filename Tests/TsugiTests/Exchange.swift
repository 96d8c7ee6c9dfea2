import Glibc
import Testing

/// Sends `text` as it is to a port of this machine, ends this side, and gives all that comes back.
func exchange(_ text: String, port: Int) throws -> [UInt8] {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let connected = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  try #require(connected == 0)
  let request = Array(text.utf8)
  try #require(send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
  // Nothing more is asked: the server closes when it has answered.
  shutdown(descriptor, Int32(SHUT_WR))
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
    bytes += buffer[..<count]
  }
  return bytes
}
