import Glibc

/// A client that means no good: one TCP connection over loopback that never blocks after it has
/// connected, and closes as it goes.
final class Attacker {
  /// What it does.
  enum Kind: CaseIterable {
    /// Begins a head and never ends it.
    case slowHead
    /// Sends a head, and its body a byte at a time.
    case slowBody
    /// Asks for much and takes nothing.
    case slowReader
    /// Connects, and nothing more.
    case mute
  }

  let kind: Kind
  private let port: Int
  private var descriptor: Int32 = -1

  init(_ kind: Kind, port: Int) throws {
    self.kind = kind
    self.port = port
    try connect()
  }

  deinit {
    close(descriptor)
  }

  private func connect() throws {
    if descriptor >= 0 { close(descriptor) }
    descriptor = try connectedSocket(port, receiveBytes: kind == .slowReader ? 4096 : nil)
    switch kind {
    case .slowHead: send("GET /v1/qiita/items HTTP/1.1\r\nHost: h\r\nX-Slow: ")
    case .slowBody: send("POST /v1 HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
    case .slowReader:
      let request = "GET /v1/qiita/items?limit=20 HTTP/1.1\r\nHost: h\r\n\r\n"
      send(String(repeating: request, count: 40))
    case .mute: break
    }
  }

  /// Sends a byte where its kind does; connects again if the server has closed.
  func goOn() throws {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    let isClosed = count == 0 || (count < 0 && errno != EAGAIN)
    if isClosed { try connect() }
    if kind == .slowHead || kind == .slowBody { send("a") }
  }

  private func send(_ text: String) {
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    _ = text.utf8.withContiguousStorageIfAvailable {
      Glibc.send(descriptor, $0.baseAddress, $0.count, flags)
    }
  }
}

/// A client that means well: asks, and waits for the whole answer. Where the server has closed a
/// connection that rested, it asks once more on a new one, as HTTP clients do (RFC 9112 §9.3.1).
final class GoodClient {
  private let port: Int
  private var descriptor: Int32 = -1
  private var wasAnswered = false

  init(port: Int) throws {
    self.port = port
    try connect()
  }

  deinit {
    close(descriptor)
  }

  private func connect() throws {
    if descriptor >= 0 { close(descriptor) }
    wasAnswered = false
    descriptor = try connectedSocket(port)
    // A test that waits longer has failed.
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  /// The status line of the answer to `GET target`, whose body has come too; nil without one. An
  /// error's answer is given whole.
  func ask(_ target: String) throws -> String? {
    if let answer = answer(to: target) {
      wasAnswered = true
      return answer
    }
    guard wasAnswered else { return nil }
    try connect()
    return answer(to: target)
  }

  private func answer(to target: String) -> String? {
    let request = Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
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

/// What the system said when no connection could be made.
struct ConnectFailure: Error {
  var code: Int32
}

/// A socket connected to a port of this machine, with a small buffer for what comes if told.
private func connectedSocket(_ port: Int, receiveBytes: Int32? = nil) throws -> Int32 {
  let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let descriptor = socket(AF_INET, type, 0)
  guard descriptor >= 0 else { throw ConnectFailure(code: errno) }
  if var receiveBytes {
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
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
