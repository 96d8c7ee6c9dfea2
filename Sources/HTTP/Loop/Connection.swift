/// One client's connection: a plain value in a slot of its loop's table.
///
/// Kept small, since thousands are idle: the two buffers exist only while a request is incomplete
/// or output is blocked.
struct Connection {
  enum Phase: UInt8 {
    /// The slot holds no connection.
    case free
    /// Requests are read and answered as they come.
    case reading
    /// A handler has a request; nothing more is read until it answers.
    case answering
    /// A handler let the connection hang; it ends when the client goes.
    case hanging
    /// A body without an end is being sent; it ends when the client goes.
    case streaming
    /// All is sent, our side is shut; input is dropped until the client has seen the answer.
    case lingering
  }

  /// How the connection ends once its output is sent.
  enum Ending: UInt8 {
    case none
    /// Shut our side, read and drop, then close: the last answer cannot be lost to a reset.
    case linger
    case reset
  }

  /// What the deadline is for.
  enum Waiting: UInt8 {
    case nothing
    case idle
    case head
    case body
    case output
    case linger
  }

  /// A request that has not come whole, or follows one still being answered.
  final class Incoming {
    var bytes: [UInt8] = []
    var parser = RequestParser()
    /// When it began to be held, in milliseconds of the loop's clock.
    let since: Int64
    private var share: HeldShare

    init(now: Int64, held: HeldBytes) {
      since = now
      share = HeldShare(of: held)
    }

    /// Counts what is held of it now.
    func count() { share.set(bytes.capacity + parser.heldBytes) }

    /// Bytes counted.
    var heldBytes: Int { share.bytes }
  }

  /// Output the socket has not taken, or was not asked to yet.
  final class Outgoing {
    private(set) var segments: [[UInt8]]
    /// A body that follows the segments from where it lies.
    private(set) var file: BodyFile?
    /// What follows the file.
    private var later: [[UInt8]] = []
    /// Bytes of the first two segments that are sent; where there are none, of the file.
    var sent: Int
    /// Bytes of all that is here, sent ones included.
    private var allBytes: Int
    /// When the socket last took a byte, in milliseconds of the loop's clock.
    var lastTakenAt: Int64
    /// When all must have been taken.
    var deadline: Int64
    /// Counted from when the socket did not take all of it.
    private var share: HeldShare?

    /// An `endless` body is not taken by any time; that some of it is taken is asked for all the
    /// same.
    init(
      _ segments: [[UInt8]], sent: Int = 0, file: BodyFile? = nil, now: Int64, limits: Limits,
      isEndless: Bool = false
    ) {
      self.segments = segments
      self.file = file
      self.sent = sent
      lastTakenAt = now
      allBytes = segments.reduce(file?.byteCount ?? 0) { $0 + $1.count }
      let milliseconds = Int64(allBytes - sent) * 1000 / Int64(limits.outputBytesPerSecond)
      deadline = isEndless ? .max : now + limits.writeStallTime.milliseconds + milliseconds
    }

    /// Bytes that the socket has not taken.
    var byteCount: Int { allBytes - sent }

    /// Counts what waits from now on; what lies in a file is not in our memory alone.
    func count(in held: HeldBytes) {
      if share == nil { share = HeldShare(of: held) }
      countAgain()
    }

    private func countAgain() {
      share?.set(allBytes - (file?.byteCount ?? 0))
    }

    /// Bytes counted.
    var heldBytes: Int { share?.bytes ?? 0 }

    /// Adds what follows; without a copy.
    func append(_ bytes: [UInt8]) {
      guard !bytes.isEmpty else { return }
      if file == nil { segments.append(bytes) } else { later.append(bytes) }
      allBytes += bytes.count
      countAgain()
    }

    /// Whether all is sent.
    var isEmpty: Bool { segments.isEmpty && file == nil }

    /// Drops the file, which is sent.
    func removeFile() {
      allBytes -= file?.byteCount ?? 0
      (segments, file, later) = (later, nil, [])
      sent = 0
      countAgain()
    }

    /// Makes the first segments one where they are small and more than one call would take.
    func joinSmall() {
      var (count, bytes) = (0, 0)
      while count < segments.count,
        bytes + segments[count].count <= ResponseEncoder.copiedBodyBytesMax
      {
        bytes += segments[count].count
        count += 1
      }
      guard count > 2 else { return }
      segments.replaceSubrange(..<count, with: [Array(segments[..<count].joined())])
    }

    /// Drops the first two segments, which are sent.
    func removeFirst() {
      let count = min(2, segments.count)
      allBytes -= segments[..<count].reduce(0) { $0 + $1.count }
      segments.removeFirst(count)
      sent = 0
      countAgain()
    }
  }

  var descriptor: Int32 = -1
  var generation: UInt32 = 0
  var peer = Peer.loopback
  var phase = Phase.free
  /// How many interim answers went before the answer that is awaited.
  var interimCount: UInt8 = 0
  var ending = Ending.none
  var waiting = Waiting.nothing
  /// The socket may hold unread input.
  var mayRead = false
  /// The peer's end was announced: reading goes on until it is reached.
  var peerEnding = false
  var watchesOutput = false
  /// It has had its turns, and goes on when the others have had theirs.
  var isUnfinished = false
  /// The request being answered.
  var isHead = false
  var minorVersion: UInt8 = 1
  var closes = false
  /// Whether the client itself said that its request is the last one.
  var clientCloses = false
  /// Links of the deadline wheel, or of the free list.
  var links = DeadlineWheel.Links()
  var incoming: Incoming?
  var outgoing: Outgoing?

  /// Whether the socket is full, and the poller will tell when it takes more.
  var isBlocked: Bool { waiting == .output }
}
