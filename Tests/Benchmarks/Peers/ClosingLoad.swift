import Crowd
import Glibc

/// A load of one request for each connection: so many connections are opened, asked, read and
/// closed, and then as many again.
struct ClosingLoad {
  /// Which end closes a connection, and how.
  enum Ending: String, CaseIterable {
    /// The request says `Connection: close`, and the client waits for the server's end.
    case server = "closed by the server"
    /// The client closes when it has the reply.
    case client = "closed by the client"
    /// The client resets the connection when it has the reply.
    case reset = "reset by the client"
  }

  var connections = 0.0
  var connectionsPerSecond = 0.0
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  /// Asks `target` for some seconds.
  init(_ server: RunningServer, _ target: String, _ ending: Ending, seconds: Int) throws {
    let line = ending == .server ? "Connection: close\r\n" : ""
    let request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(line)\r\n".utf8)
    let clock = ContinuousClock()
    let begin = clock.now
    while clock.now - begin < .seconds(seconds) {
      let descriptors = try (0..<64).map { _ in try connectedSocket(server.port) }
      for descriptor in descriptors {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { throw RawReply.NoReply() }
      }
      for descriptor in descriptors { try end(descriptor, ending) }
      connections += Double(descriptors.count)
    }
    connectionsPerSecond = connections / ((clock.now - begin) / .seconds(1))
  }

  /// Reads a reply and closes its connection.
  private mutating func end(_ descriptor: Int32, _ ending: Ending) throws {
    defer { close(descriptor) }
    var count = try read(descriptor, after: 0)
    guard let head = buffer[..<count].firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
      buffer.starts(with: Array("HTTP/1.1 200 ".utf8)),
      let length = ClosingLoad.length(in: buffer[..<head])
    else { throw RawReply.NoReply() }
    while count < head + length { count += try read(descriptor, after: count) }
    switch ending {
    case .server:
      guard recv(descriptor, &buffer, buffer.count, 0) == 0 else { throw RawReply.NoReply() }
    case .client: break
    case .reset:
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
  }

  private mutating func read(_ descriptor: Int32, after count: Int) throws -> Int {
    let received = buffer.withUnsafeMutableBytes { bytes in
      let room = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      return recv(descriptor, room.baseAddress, room.count, 0)
    }
    guard received > 0 else { throw RawReply.NoReply() }
    return received
  }

  private static func length(in head: ArraySlice<UInt8>) -> Int? {
    let name =
      head.firstRange(of: Array("ontent-Length: ".utf8))
      ?? head.firstRange(of: Array("ontent-length: ".utf8))
    guard let name else { return nil }
    return Int(String(decoding: head[name.upperBound...].prefix { $0 != 13 }, as: UTF8.self))
  }
}
