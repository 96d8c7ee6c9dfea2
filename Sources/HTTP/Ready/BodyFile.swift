import CEpoll
import Glibc
import Synchronization

/// A body in a file that lies in memory only: the system sends it from there, and copies no byte of
/// it on its way to the socket (memfd_create(2), sendfile(2)).
final class BodyFile: Sendable {
  /// The most of them in the process: each takes a descriptor.
  static let countMax = 32
  /// The largest, in bytes: it is written where connections wait, 1 MB in a third of a millisecond.
  static let bytesMax = 4 << 20

  /// The most bytes of all of them: a control group counts them as this process's memory.
  static let totalBytesMax = 32 << 20

  private static let count = Atomic(0)
  private static let totalBytes = Atomic(0)

  /// The file.
  let descriptor: Descriptor
  /// How many bytes it has.
  let byteCount: Int

  /// Writes a body into a file; nil where it is too large, or there is none to be had.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= BodyFile.bytesMax else { return nil }
    let count = BodyFile.count.add(1, ordering: .relaxed).newValue
    let total = BodyFile.totalBytes.add(bytes.count, ordering: .relaxed).newValue
    guard count <= BodyFile.countMax, total <= BodyFile.totalBytesMax,
      let file = BodyFile.written(bytes)
    else {
      BodyFile.forget(bytes.count)
      return nil
    }
    descriptor = file
    byteCount = bytes.count
  }

  deinit {
    BodyFile.forget(byteCount)
  }

  private static func forget(_ bytes: Int) {
    count.subtract(1, ordering: .relaxed)
    totalBytes.subtract(bytes, ordering: .relaxed)
  }

  private static func written(_ bytes: [UInt8]) -> Descriptor? {
    guard let number = try? plainSystemCall("memfd_create", { memfd_create("tsugi.body", 1) })
    else { return nil }
    let file = Descriptor(number)
    var place = 0
    while place < bytes.count {
      let outcome = try? bytes[place...].withUnsafeBytes { rest in
        try plainSystemCall("write") { write(file.number, rest.baseAddress, rest.count) }
      }
      guard let outcome, outcome > 0 else { return nil }
      place += outcome
    }
    return file
  }

  /// Sends what follows the first `offset` bytes, as far as the socket takes it; gives how many it
  /// took, or nil when the connection is broken.
  func send(from offset: Int, to socket: Int32) -> Int? {
    var place = off_t(offset)
    while Int(place) < byteCount {
      // The loop's thread blocks SIGPIPE: a client that has gone is an error value.
      let outcome = try? systemCall("sendfile") {
        sendfile(socket, descriptor.number, &place, byteCount - Int(place))
      }
      switch outcome {
      case .done(1...): continue
      case .wouldBlock: return Int(place) - offset
      case .done, nil: return nil
      }
    }
    return Int(place) - offset
  }
}
