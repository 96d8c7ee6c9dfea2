private import CZlib
internal import Feed

/// Inflates a gzip body as it arrives (RFC 1952): one member after another, until the last one's
/// check sum stood. What follows that and is no member is padding, as gzip itself takes it.
struct Inflater: ~Copyable {
  /// What each member begins with.
  static let magic: [UInt8] = [0x1F, 0x8B]
  private static let scratchBytes = 64 << 10
  /// The largest window, and 16 for "gzip only".
  private static let windowBits: Int32 = 15 + 16

  // zlib keeps the stream's address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let scratch: UnsafeMutableBufferPointer<UInt8>
  private var isBetweenMembers = false
  private var isPadding = false

  /// Whether the stream has ended: no more bytes are needed.
  var isAtEnd: Bool { isBetweenMembers }

  /// An inflater that waits for the first member.
  ///
  /// - Throws: `.unreachable` when zlib has no memory.
  init() throws(FetchError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    scratch = .allocate(capacity: Inflater.scratchBytes)
    let size = Int32(MemoryLayout<z_stream>.size)
    let code = inflateInit2_(stream, Inflater.windowBits, zlibVersion(), size)
    guard code == Z_OK else { throw .unreachable(reason: "zlib: \(code)") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    scratch.deallocate()
  }

  /// Inflates all of `input` onto the end of `output`.
  ///
  /// - Throws: `.tooLarge` before `output` grows beyond `limitBytes`, `.malformed` when the bytes
  ///   are not gzip.
  mutating func inflate(
    _ input: UnsafeRawBufferPointer, into output: inout [UInt8], limitBytes: Int
  ) throws(FetchError) {
    guard !isPadding, let base = input.bindMemory(to: UInt8.self).baseAddress else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
    stream.pointee.avail_in = UInt32(input.count)
    repeat {
      if isBetweenMembers, stream.pointee.avail_in > 0 {
        isPadding = stream.pointee.next_in.pointee != Inflater.magic[0]
        guard !isPadding else { return }
        try beginMember()
      }
      let inflated = try step()
      guard output.count + inflated <= limitBytes else {
        throw .tooLarge(limitBytes: limitBytes)
      }
      output.append(contentsOf: scratch[..<inflated])
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  private mutating func beginMember() throws(FetchError) {
    let code = inflateReset(stream)
    guard code == Z_OK else { throw .malformed(reason: "gzip: \(code)") }
    isBetweenMembers = false
  }

  /// Fills the scratch once and returns how many bytes it took.
  private mutating func step() throws(FetchError) -> Int {
    stream.pointee.next_out = scratch.baseAddress
    stream.pointee.avail_out = UInt32(Inflater.scratchBytes)
    let code = CZlib.inflate(stream, Z_NO_FLUSH)
    switch code {
    case Z_STREAM_END: isBetweenMembers = true
    case Z_OK, Z_BUF_ERROR: break  // A buffer error only says that there was nothing to do.
    default: throw .malformed(reason: "gzip: \(String(cString: zError(code)))")
    }
    return Inflater.scratchBytes - Int(stream.pointee.avail_out)
  }
}
