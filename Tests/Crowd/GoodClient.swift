import Glibc

/// A client that means well: asks, and waits for the whole answer. Where the server has closed a
/// connection that rested, it asks once more on a new one, as HTTP clients do (RFC 9112 §9.3.1).
package final class GoodClient {
  private let port: Int
  private var descriptor: Int32 = -1
  private var wasAnswered = false

  /// Connects to a port of this machine.
  package init(port: Int) throws {
    self.port = port
    try connect()
  }

  deinit {
    close(descriptor)
  }

  private func connect() throws {
    if descriptor >= 0 { close(descriptor) }
    wasAnswered = false
    // A test that waits longer has failed.
    descriptor = try connectedSocket(port, receiveSeconds: 20)
  }

  /// The status line of the answer to `GET target`, whose body has come too; nil without one. An
  /// error's answer is given whole.
  package func ask(_ target: String) throws -> String? {
    if let answer = answer(to: target) {
      wasAnswered = true
      return answer
    }
    guard wasAnswered else { return nil }
    try connect()
    return answer(to: target)
  }

  private func answer(to target: String) -> String? {
    let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      bytes += piece[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.firstRange(of: "\r\n\r\n"),
        let length = text.firstMatch(of: /Content-Length: ([0-9]+)/).flatMap({ Int($0.output.1) })
      else { continue }
      if text[end.upperBound...].utf8.count >= length {
        let line = String(text.prefix { $0 != "\r\n" })
        // A failed test tells why.
        return line.hasSuffix("200 OK") ? line : text
      }
    }
  }
}
