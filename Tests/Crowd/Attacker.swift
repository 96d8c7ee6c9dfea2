import Glibc

// Clients over loopback for tests and benchmarks: those that mean no good, and one that does. They
// speak in raw bytes and know nothing of the server.

/// A client that means no good: one TCP connection over loopback that never blocks after it has
/// connected, and closes as it goes.
package final class Attacker {
  /// What it does.
  package enum Kind: String, CaseIterable {
    /// Begins a head and never ends it.
    case slowHead
    /// Sends a head, and its body a byte at a time.
    case slowBody
    /// Asks for much and takes nothing.
    case slowReader
    /// Connects, and nothing more.
    case mute
    /// Sends a head of 31 KB but for its end.
    case longHead
    /// Sends a body of 64 KB but for its last byte.
    case halfBody
    /// Asks for large slices that nobody else asks for, and takes nothing.
    case unread
    /// Listens to events in a form of its own, and takes nothing.
    case muteListener
    /// Asks for hundreds of slices in one write, reads the answers, and asks again.
    case pipeliner
    /// Asks for articles that are none, one after the other.
    case guesser
    /// Asks for searches that nobody made before, one after the other.
    case searcher

    /// Whether it takes what it is sent.
    var reads: Bool { [.pipeliner, .guesser, .searcher].contains(self) }
  }

  /// What it does.
  package let kind: Kind
  private let port: Int
  /// What tells its requests from others' of its kind.
  private let number: Int
  private var turns = 0
  private var descriptor: Int32 = -1
  /// What the socket has not taken yet.
  private var unsent: ArraySlice<UInt8> = []

  /// Connects to a port of this machine and begins.
  package init(_ kind: Kind, port: Int, number: Int = 0) throws {
    self.kind = kind
    self.port = port
    self.number = number
    try connect()
  }

  deinit {
    close(descriptor)
  }

  private func connect() throws {
    if descriptor >= 0 { close(descriptor) }
    let takesLittle = [.slowReader, .unread, .muteListener].contains(kind)
    descriptor = try connectedSocket(port, receiveBytes: takesLittle ? 4096 : nil)
    unsent = []
    begin()
  }

  private func begin() {
    let fields = "fields=id,title,body,rendered_body,x\(number)"
    switch kind {
    case .slowHead: send("GET /v1/qiita/items HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    case .slowBody: send("POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
    case .slowReader: send(Attacker.get("items?limit=20") * 40)
    case .mute: break
    case .longHead: send("GET /v1 HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "a" * 31_000)
    case .halfBody:
      send("POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65536\r\n\r\n" + "a" * 65_535)
    case .unread: send(Attacker.get("items?limit=100&\(fields)") * 8)
    case .muteListener: send(Attacker.get("items:events?\(fields)"))
    case .pipeliner, .guesser, .searcher: askOn()
    }
  }

  /// Goes on: sends what is left, takes what came where its kind does, asks again; connects again
  /// if the server has closed.
  package func goOn() throws {
    if kind.reads { drain() }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    let isClosed = count == 0 || (count < 0 && errno != EAGAIN)
    if isClosed { try connect() }
    switch kind {
    case .slowHead, .slowBody: send("a")
    case .pipeliner, .guesser, .searcher:
      if unsent.isEmpty { askOn() } else { send("") }
    default: send("")
    }
  }

  private func askOn() {
    turns += 1
    let mark = number * 1_000_000 + turns
    switch kind {
    case .pipeliner:
      send((0..<500).map { Attacker.get("items?limit=100&fields=id,x\(mark)y\($0)") }.joined())
    case .guesser:
      let digits = String(mark, radix: 16)
      send(Attacker.get("items/" + "0" * (20 - digits.count) + digits))
    case .searcher: send(Attacker.get("items?query=none\(mark)"))
    default: break
    }
  }

  private func drain() {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    // A share of a turn: others want theirs.
    for _ in 0..<16 where recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT)) <= 0 { return }
  }

  private static func get(_ target: String) -> String {
    "GET /v1/qiita/\(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
  }

  private func send(_ text: String) {
    unsent += text.utf8
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    let count = unsent.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    if count > 0 { unsent = unsent.dropFirst(count) }
  }
}

/// A text over and over.
private func * (text: String, count: Int) -> String {
  String(repeating: text, count: count)
}
