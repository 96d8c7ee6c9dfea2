import Crowd
import Glibc
import Testing

/// Sends `text` as it is to a port of this machine, ends this side, and gives all that comes back.
func exchange(_ text: String, port: Int) throws -> [UInt8] {
  let descriptor = try connectedSocket(port)
  defer { close(descriptor) }
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
