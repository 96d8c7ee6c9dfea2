import Glibc
import JSONBytes

/// A client that sends one request over a blocking loopback socket and takes what comes.
struct SocketClient {
  private let descriptor: Int32

  /// What came back.
  struct Reply {
    var head: String
    var body: [UInt8]
    /// Whether the connection was reset rather than closed.
    var isReset: Bool

    /// How many elements the body has.
    func elementCount() throws -> Int {
      try JSON.elements(of: body).count
    }

    /// The number in the `content-length` field.
    var promisedBytes: Int? {
      head.lowercased().split(separator: "\r\n").compactMap { line in
        line.hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
      }.first
    }
  }

  /// Connects; a read that waits longer than ten seconds ends the reply instead of the test.
  init(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Sends a GET and reads until the server closes or resets, or `bodyBytes` have come.
  func get(_ target: String, fields: String = "", bodyBytes: Int = .max) -> Reply {
    exchange(
      "GET \(target) HTTP/1.1\r\nHost: sim.test\r\nConnection: close\r\n\(fields)\r\n",
      bodyBytes: bodyBytes)
  }

  /// Sends any text and reads as `get` does.
  func exchange(_ text: String, bodyBytes: Int = .max) -> Reply {
    let request = Array(text.utf8)
    _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var reply = Reply(head: "", body: [], isReset: false)
    var received: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while reply.head.isEmpty || reply.body.count < bodyBytes {
      let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      reply.isReset = count < 0 && errno == ECONNRESET
      guard count > 0 else { break }
      received += piece[..<count]
      if reply.head.isEmpty, let end = Self.endOfHead(received) {
        reply.head = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end)
      }
      if !reply.head.isEmpty { reply.body = received }
    }
    return reply
  }

  /// Closes the connection.
  func close() {
    Glibc.close(descriptor)
  }

  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
  }
}
