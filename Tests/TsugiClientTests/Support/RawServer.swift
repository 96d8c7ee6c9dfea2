import Dispatch
import Glibc
import Testing

/// A listener on a free port whose connections a test answers by hand, byte for byte.
final class RawServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let queue = DispatchQueue(label: "test.raw-server", attributes: .concurrent)

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listener, length) = (self.listener, size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    close(listener)
  }

  /// The next connection, once its request's head is there.
  func connection() async -> Connection {
    await withCheckedContinuation { wake in
      queue.async { [listener] in
        let descriptor = accept(listener, nil, nil)
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.reversed().starts(with: [10, 13, 10, 13]), read(descriptor, &byte, 1) == 1 {
          head.append(byte)
        }
        wake.resume(
          returning: Connection(
            descriptor: descriptor, head: String(decoding: head, as: UTF8.self).lowercased()))
      }
    }
  }

  /// One connection. It ends with this value.
  final class Connection: Sendable {
    /// What was asked, in lower case.
    let head: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "test.raw-connection")

    fileprivate init(descriptor: Int32, head: String) {
      (self.descriptor, self.head) = (descriptor, head)
    }

    deinit {
      Glibc.close(descriptor)
    }

    /// Sends bytes at once; false when the peer has gone.
    @discardableResult
    func send(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Sends a part of a body that comes in parts; false when the peer has gone.
    @discardableResult
    func sendChunk(_ text: String) -> Bool {
      send(String(text.utf8.count, radix: 16) + "\r\n\(text)\r\n")
    }

    /// Says that nothing more comes.
    func finish() {
      shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Waits until the peer has gone.
    func end() async {
      await withCheckedContinuation { wake in
        queue.async { [descriptor] in
          var byte: UInt8 = 0
          while read(descriptor, &byte, 1) > 0 {}
          wake.resume()
        }
      }
    }
  }
}
