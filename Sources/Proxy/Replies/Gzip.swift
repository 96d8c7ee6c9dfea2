import CZlib
import HTTP

/// Compresses bodies to gzip (RFC 1952), one after another, with one state of about 256 KB.
struct Gzip: ~Copyable {
  /// Bodies below this size are sent as they are: the head is as large as what would be saved.
  static let bytesMin = 1024
  /// Of half a megabyte of recorded items level 1 leaves 24.0 % in 3.1 ms, 4 leaves 20.2 % in
  /// 4.6 ms, 5 leaves 19.3 % in 6.1 ms, 6 leaves 18.8 % in 8.7 ms, 9 leaves 18.7 % in 14.8 ms. An
  /// answer is compressed once and sent many times, yet one reader waits for it.
  static let level: Int32 = 5
  /// The largest window, and 16 for "with a gzip header".
  private static let windowBits: Int32 = 15 + 16
  private static let memoryLevel: Int32 = 8

  // zlib keeps the stream's address, so it must not move. Nil when there was no memory.
  private let stream: UnsafeMutablePointer<z_stream>?

  /// A compressor; where zlib has no memory, one that compresses nothing.
  init() {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = deflateInit2_(
      stream, Gzip.level, Z_DEFLATED, Gzip.windowBits, Gzip.memoryLevel, Z_DEFAULT_STRATEGY,
      zlibVersion(), Int32(MemoryLayout<z_stream>.size))
    if code == Z_OK {
      self.stream = stream
    } else {
      stream.deallocate()
      self.stream = nil
    }
  }

  deinit {
    guard let stream else { return }
    // It only returns whether input was left, which is no matter.
    _ = deflateEnd(stream)
    stream.deallocate()
  }

  /// The bytes as one gzip member; nil when zlib could not, or it would not be smaller.
  mutating func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let stream, deflateReset(stream) == Z_OK, bytes.count <= Int(UInt32.max) else {
      return nil
    }
    // What does not fit in less than there was is not worth sending.
    let capacity = bytes.count
    var isWhole = false
    let output = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      bytes.withUnsafeBufferPointer { input in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
        count = isWhole ? capacity - Int(stream.pointee.avail_out) : 0
      }
    }
    return isWhole ? Array(output[...]) : nil
  }
}

extension Response {
  /// This answer as `coding` asks, compressed where that makes it smaller.
  consuming func encoded(as coding: ContentCoding, with gzip: inout Gzip) -> Response {
    guard coding == .gzip, status == 200, body.count >= Gzip.bytesMin,
      let smaller = gzip.compressed(body)
    else { return self }
    body = smaller
    fields.append("Content-Encoding", "gzip")
    return self
  }
}
