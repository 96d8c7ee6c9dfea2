import Crowd
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
    let descriptor = try connectedSocket(port, receiveSeconds: 20)
    defer { close(descriptor) }
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
