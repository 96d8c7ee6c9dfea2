import Glibc

@testable import HTTP

/// A client whose handshake stands still: the server's part of it is dropped until it is finished.
final class LateClient: Sendable {
  /// One instruction of a packet filter and its count, as the system takes them (socket(7)).
  private struct Filter {
    var count: UInt16 = 1
    var instructions: UnsafeMutablePointer<UInt64>
  }

  /// Whether the system lets this process drop packets of its own sockets.
  static var isPossible: Bool { (try? LateClient(nil)) != nil }

  private let descriptor: Descriptor

  /// Sends the first packet of a handshake with `address`.
  init(_ address: Address?) throws {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = Descriptor(try plainSystemCall("socket") { socket(AF_INET, type, 0) })
    // BPF_RET | BPF_K with 0: of every packet nothing is kept.
    var instruction = UInt64(0x06)
    try withUnsafeMutablePointer(to: &instruction) { instruction in
      var filter = Filter(instructions: instruction)
      _ = try plainSystemCall("setsockopt") {
        setsockopt(
          descriptor.number, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
          socklen_t(MemoryLayout<Filter>.size))
      }
    }
    guard let address else { return }
    try address.withSocketAddress { (socketAddress, length) throws(ServerError) in
      guard connect(descriptor.number, socketAddress, length) != 0, errno == EINPROGRESS else {
        throw .systemCall(name: "connect", errno: errno)
      }
    }
  }

  /// Lets the handshake end, which takes until a packet is sent again, a second or more; then sends
  /// `text` and gives all that comes back.
  func finish(sending text: String) throws -> String {
    var none: Int32 = 0
    let length = socklen_t(MemoryLayout<Int32>.size)
    try plainSystemCall("setsockopt") {
      setsockopt(descriptor.number, SOL_SOCKET, SO_DETACH_FILTER, &none, length)
    }
    try wait(for: POLLOUT)
    try plainSystemCall("send") {
      send(descriptor.number, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while true {
      try wait(for: POLLIN)
      let count = try plainSystemCall("read") { read(descriptor.number, &piece, piece.count) }
      if count == 0 { return String(decoding: all, as: UTF8.self) }
      all += piece[..<count]
    }
  }

  private func wait(for events: Int32) throws {
    var watched = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    guard try plainSystemCall("poll", { poll(&watched, 1, 60_000) }) == 1 else {
      throw ServerError.systemCall(name: "poll", errno: ETIMEDOUT)
    }
  }
}
