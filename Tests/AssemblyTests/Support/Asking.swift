import Crowd
import Foundation

/// What a client is answered that sends the key `one-key-of-many`.
struct Asked: Hashable {
  var status = 0
  var cookie: String?
  /// The items of a slice, or the content as it came.
  var content = ""

  init(_ target: String, by method: String = "GET", at port: Int) throws {
    let descriptor = try connectedSocket(port, receiveSeconds: 20)
    defer { close(descriptor) }
    let request = Array(
      """
      \(method) \(target) HTTP/1.1\r
      Host: localhost\r
      Content-Length: 0\r
      Authorization: Bearer one-key-of-many\r
      Accept-Language: ja\r
      Connection: close\r
      \r

      """.utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { return }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return }
    status = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
    for line in text[..<end.lowerBound].split(separator: "\r\n") {
      if line.lowercased().hasPrefix("set-cookie:") { cookie = String(line) }
    }
    // What is wrong is told with the request's own number.
    guard status == 200 else { return }
    content = String(text[end.upperBound...])
    let json = try? JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any]
    guard let items = json?["items"] else { return }
    let data = try JSONSerialization.data(withJSONObject: items, options: [.sortedKeys])
    content = String(decoding: data, as: UTF8.self)
  }
}
