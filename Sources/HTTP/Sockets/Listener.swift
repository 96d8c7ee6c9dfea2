import CEpoll
import Glibc

/// A listening socket of one loop; several share an address through SO_REUSEPORT.
struct Listener: ~Copyable, Sendable {
  private static let backlog: Int32 = 4096

  private let descriptor: Descriptor

  var number: Int32 { descriptor.number }

  /// Binds and listens; with port 0 the system chooses, see `boundPort`.
  ///
  /// A server's first listener shares its port only once it has it: so another server that is
  /// there already is an error, where SO_REUSEPORT would have the two share it unnoticed.
  init(_ address: Address, isFirst: Bool = true) throws(ServerError) {
    descriptor = try address.withSocketAddress { (socketAddress, length) throws(ServerError) in
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let descriptor = Descriptor(
        try plainSystemCall("socket") { socket(Int32(socketAddress.pointee.sa_family), type, 0) })
      try Self.enable(SO_REUSEADDR, SOL_SOCKET, descriptor.number)
      if !isFirst { try Self.enable(SO_REUSEPORT, SOL_SOCKET, descriptor.number) }
      // Accepted sockets inherit it: one system call less for each connection.
      try Self.enable(TCP_NODELAY, Int32(IPPROTO_TCP), descriptor.number)
      try plainSystemCall("bind") { bind(descriptor.number, socketAddress, length) }
      if isFirst { try Self.enable(SO_REUSEPORT, SOL_SOCKET, descriptor.number) }
      try plainSystemCall("listen") { listen(descriptor.number, Self.backlog) }
      // The acknowledgement of a request goes with its answer instead of before it. Accepted
      // sockets inherit that, too, where it is set after listening.
      try Self.set(TCP_QUICKACK, Int32(IPPROTO_TCP), descriptor.number, to: 0)
      return descriptor
    }
  }

  private static func enable(
    _ option: Int32, _ level: Int32, _ descriptor: Int32
  ) throws(ServerError) {
    try set(option, level, descriptor, to: 1)
  }

  private static func set(
    _ option: Int32, _ level: Int32, _ descriptor: Int32, to value: Int32
  ) throws(ServerError) {
    var value = value
    try plainSystemCall("setsockopt") {
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// The port this listener got.
  var boundPort: Int {
    get throws(ServerError) {
      var storage = sockaddr_storage()
      try withSocketAddress(&storage) { (address, length) throws(ServerError) in
        _ = try plainSystemCall("getsockname") { getsockname(number, address, length) }
      }
      // The port is at the same place for both families.
      return withUnsafeBytes(of: storage) {
        Int(UInt16(bigEndian: $0.load(as: sockaddr_in.self).sin_port))
      }
    }
  }

  /// Takes the next waiting client, without blocking: its socket and its address.
  func accept() throws(ServerError) -> (descriptor: Int32, peer: Peer)? {
    var storage = sockaddr_storage()
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let outcome = try withSocketAddress(&storage) { (address, length) throws(ServerError) in
      try systemCall("accept4") { accept4(number, address, length, flags) }
    }
    guard case .done(let descriptor) = outcome else { return nil }
    return (Int32(descriptor), Peer(storage))
  }

  /// Has the system refuse new connections from now on, while it finishes the handshakes that have
  /// begun: their clients can still be accepted.
  ///
  /// The listener is bound to a network interface that does not exist. A handshake in progress
  /// keeps the interface that it began on (`SO_BINDTOIFINDEX`, since Linux 5.7 without privileges).
  /// Where the system cannot, it greets clients until the listener is closed.
  func refuseNew() {
    var noInterface = Int32.max
    setsockopt(
      number, SOL_SOCKET, SO_BINDTOIFINDEX, &noInterface, socklen_t(MemoryLayout<Int32>.size))
  }

  /// How long ago the last data came on an accepted socket, or it was connected, in milliseconds,
  /// a few more or less; 0 where the system does not tell (tcp(7), `TCP_INFO`).
  static func millisecondsWithoutData(_ descriptor: Int32) -> Int64 {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return 0 }
    return Int64(info.tcpi_last_data_recv)
  }

  private func withSocketAddress<Result>(
    _ storage: inout sockaddr_storage,
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>)
      throws(ServerError) -> Result
  ) throws(ServerError) -> Result {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return try withUnsafeMutablePointer(to: &storage) { (pointer) throws(ServerError) in
      try body(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), &length)
    }
  }
}
