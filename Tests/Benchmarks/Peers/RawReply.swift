import Foundation
import Glibc

/// An answer with all its bytes, as a server sent it on a connection that stays open.
struct RawReply {
  var bytes: [UInt8]
  var status: Int
  var body: [UInt8]
  var fields: [(name: String, value: String)]

  /// Asks a port of this machine; fields are whole lines.
  init(port: Int, _ target: String, _ lines: [String] = []) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw NoReply() }
    let head = (["GET \(target) HTTP/1.1", "Host: 127.0.0.1"] + lines).joined(separator: "\r\n")
    let request = Array((head + "\r\n\r\n").utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw NoReply()
    }
    bytes = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
        let rows = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        fields = rows.dropFirst().compactMap { row in
          guard let colon = row.firstIndex(of: ":") else { return nil }
          let value = row[row.index(after: colon)...].trimmingCharacters(in: .whitespaces)
          return (String(row[..<colon]), value)
        }
        let length = fields.first { $0.name.lowercased() == "content-length" }
        if bytes.count - end >= length.flatMap({ Int($0.value) }) ?? 0 {
          status = Int(rows[0].split(separator: " ").dropFirst().first ?? "") ?? 0
          body = Array(bytes[end...])
          return
        }
      }
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { throw NoReply() }
      bytes += piece[..<count]
    }
  }

  struct NoReply: Error {}
}
