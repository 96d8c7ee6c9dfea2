import Glibc

// Clients over loopback for tests and benchmarks: those that mean no good, and one that does. They
// speak in raw bytes and know nothing of the server.

/// A client that means no good: one TCP connection over loopback that never blocks after it has
/// connected, and closes as it goes.
package final class Attacker {
  /// What it does.
  package enum Kind: CaseIterable {
    /// Begins a head and never ends it.
    case slowHead
    /// Sends a head, and its body a byte at a time.
    case slowBody
    /// Asks for much and takes nothing.
    case slowReader
    /// Connects, and nothing more.
    case mute
  }

  /// What it does.
  package let kind: Kind
  private let port: Int
  private var descriptor: Int32 = -1

  /// Connects to a port of this machine and begins.
  package init(_ kind: Kind, port: Int) throws {
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
  package func goOn() throws {
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
