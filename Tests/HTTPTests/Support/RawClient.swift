import Glibc

@testable import HTTP

/// A client that sends and reads bytes as they are, over one blocking loopback socket.
final class RawClient: Sendable {
  private let descriptor: Descriptor

  /// Connects; a read that waits longer than a minute fails the test instead of hanging it.
  init(_ address: Address) throws {
    descriptor = try address.withSocketAddress { (socketAddress, length) throws(ServerError) in
      let family = Int32(socketAddress.pointee.sa_family)
      let descriptor = Descriptor(
        try plainSystemCall("socket") { socket(family, Int32(SOCK_STREAM.rawValue), 0) })
      var timeout = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &timeout,
        socklen_t(MemoryLayout<timeval>.size))
      try plainSystemCall("connect") { connect(descriptor.number, socketAddress, length) }
      return descriptor
    }
  }

  /// Returns when a server takes no new connection.
  static func waitUntilRefused(by address: Address) throws {
    while true {
      do {
        _ = try RawClient(address)
      } catch ServerError.systemCall(name: "connect", errno: ECONNREFUSED) {
        return
      }
    }
  }

  func send(_ text: String) throws {
    try send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      sent += try bytes[sent...].withUnsafeBytes { rest in
        try plainSystemCall("send") {
          Glibc.send(descriptor.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }

  /// Ends our side; what the server sends can still be read.
  func endSending() {
    shutdown(descriptor.number, Int32(SHUT_WR))
  }

  /// Sends `piece` again and again until there is something to read.
  func sendUntilAnswered(_ piece: String) throws {
    var watched = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    while try plainSystemCall("poll", { poll(&watched, 1, 10) }) == 0 {
      try send(piece)
    }
  }

  /// Returns when the server has reset the connection; sends `piece` meanwhile, if there is one.
  func waitForReset(sending piece: String = "") throws {
    var watched = pollfd(fd: descriptor.number, events: 0, revents: 0)
    while try plainSystemCall("poll", { poll(&watched, 1, 10) }) == 0 {
      // Once the server has closed, sending fails or brings the reset.
      if !piece.isEmpty { try? send(piece) }
    }
  }

  /// Makes what the systems of both sides hold for this connection as small as they let it be; the
  /// server is one of this process.
  func shrinkBuffers() { setBuffers(bytes: 1) }

  /// Gives what the systems of both sides hold for this connection room again.
  func widenBuffers() { setBuffers(bytes: 1 << 20) }

  private func setBuffers(bytes: Int32) {
    var size = bytes
    let length = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor.number, SOL_SOCKET, SO_RCVBUF, &size, length)
    guard let port = Self.port(descriptor.number, by: getsockname) else { return }
    for other in 3..<Int32(1024) where Self.port(other, by: getpeername) == port {
      setsockopt(other, SOL_SOCKET, SO_SNDBUF, &size, length)
    }
  }

  private static func port(
    _ descriptor: Int32,
    by name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> UInt16? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
    }
    return outcome == 0 && address.sin_family == AF_INET ? address.sin_port : nil
  }

  /// Makes the close that follows a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor.number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// The next bytes, at most `count`; empty when the server has closed.
  func receive(_ count: Int = 65536) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = try plainSystemCall("read") {
        read(descriptor.number, buffer.baseAddress, buffer.count)
      }
    }
  }

  /// All there is until the server closes; with a pause before each read of a megabyte at most.
  func receiveAll(pausing milliseconds: Int32 = 0) throws -> String {
    var all: [UInt8] = []
    while true {
      if milliseconds > 0 { poll(nil, 0, milliseconds) }
      let piece = try receive(1 << 20)
      if piece.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += piece
    }
  }

  /// Reads until the text ends in `ending`.
  func receive(until ending: String) throws -> String {
    var all: [UInt8] = []
    while !all.reversed().starts(with: ending.utf8.reversed()) {
      let piece = try receive(1)
      if piece.isEmpty { break }
      all += piece
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Sends `text`, ends our side, and gives all that comes back.
  func exchange(_ text: String) throws -> String {
    try send(text)
    endSending()
    return try receiveAll()
  }
}
