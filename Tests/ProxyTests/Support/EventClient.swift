import Crowd
import Foundation
import Glibc

/// A client that listens: one request over HTTP/1.0, so that events come as they are.
final class EventClient {
  let descriptor: Int32
  /// What came and was not taken yet; the reply's head is taken off.
  var bytes: [UInt8] = []
  let head: String

  /// An event, or the place that a client without one is at.
  struct Event: Equatable {
    var id: String?
    var data = ""

    /// The members of its data that tests look at.
    var change: ChangesTests.Body.Change? {
      try? JSONDecoder().decode(ChangesTests.Body.Change.self, from: Data(data.utf8))
    }
  }

  /// Connects and reads the head; a read that waits longer than ten seconds fails.
  init(_ port: Int, _ target: String, lines: [String] = []) throws {
    let descriptor = try connectedSocket(port, receiveSeconds: 10)
    self.descriptor = descriptor
    let text = (["GET \(target) HTTP/1.0"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
    let request = Array(text.utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { throw Client.Failure.system("send", errno) }
    var received: [UInt8] = []
    var end: Range<Int>?
    while end == nil {
      received += try EventClient.receive(descriptor)
      end = received.firstRange(of: Array("\r\n\r\n".utf8))
    }
    head = String(decoding: received[..<(end?.lowerBound ?? 0)], as: UTF8.self)
    bytes = Array(received[(end?.upperBound ?? 0)...])
  }

  deinit { close(descriptor) }

  /// Some bytes; throws when there are no more.
  static func receive(_ descriptor: Int32) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw Client.Failure.system("recv", count < 0 ? errno : 0) }
    return Array(buffer[..<count])
  }

  /// The next event, or comment, which has neither id nor data.
  func next() throws -> Event {
    var end = bytes.firstRange(of: [0x0a, 0x0a])
    while end == nil {
      bytes += try EventClient.receive(descriptor)
      end = bytes.firstRange(of: [0x0a, 0x0a])
    }
    let text = String(decoding: bytes[..<(end?.lowerBound ?? 0)], as: UTF8.self)
    bytes.removeFirst(end?.upperBound ?? 0)
    var event = Event()
    for line in text.split(separator: "\n") {
      if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
      if line.hasPrefix("data: ") { event.data += line.dropFirst(6) }
    }
    return event
  }
}
