/// The limits on everything that a peer can make grow.
package struct Limits: Sendable {
  /// Open connections of the whole server; for one more, one that only waits is closed, or it is
  /// answered 503 itself.
  package var connections = 10_000
  /// Connections above `connections` that may be open, to be sent 503 or until one of the
  /// others goes; beyond, they are closed without a word.
  package var spareConnections = 128
  /// Bytes of a request line without its CRLF; one more is 414.
  package var requestLineBytes = 16 * 1024
  /// Bytes of a whole head, from the method to the empty line; one more is 431.
  package var headBytes = 32 * 1024
  /// Field lines of a head, and of a chunked body's trailer; one more is 431.
  package var fieldCount = 128
  /// Bytes of a request body without its framing; one more is 413.
  package var bodyBytes = 1024 * 1024
  /// Bytes of a body that means nothing (on GET and the like), read and dropped; one more is 413.
  package var droppedBodyBytes = 64 * 1024
  /// Bytes of a chunk's size line with its extensions; one more is 400.
  package var chunkLineBytes = 1024
  /// Bytes of a chunked body's trailer; one more is 431.
  package var trailerBytes = 8 * 1024
  /// Bytes of one read, and so the most that waits behind a request being answered.
  package var pipelinedBytes = 64 * 1024
  /// From a head's first byte (or the client's connecting) to its last; then 408.
  package var headDeadline: Duration = .seconds(15)
  /// From a head's last byte to its body's last; then 408.
  package var bodyDeadline: Duration = .seconds(30)
  /// Between an answer and the next request; then the connection is closed without a word.
  package var idleTime: Duration = .seconds(75)
  /// Without one byte of an answer being taken; then the connection is reset.
  package var writeStallTime: Duration = .seconds(30)
  /// Bytes a second that a client takes at least, on average, of an answer that its socket did not
  /// take immediately; one slower by more than `writeStallTime` in all is reset.
  package var outputBytesPerSecond = 240
  /// Bytes of a body that goes on which its client has not taken, when another part comes; one more
  /// and it is cut off.
  package var streamBacklogBytes = 256 * 1024
  /// Bytes that the system may hold of such a body; it doubles this for its own needs.
  package var streamSocketBytes = 64 * 1024
  /// Bytes that wait for all peers together: replies unread, requests not whole, listeners behind;
  /// beyond, the connections that hold most for longest are reset.
  package var heldBytes = 48 << 20
  /// Whether bodies are given to the handler at all; else they are read and dropped.
  package var keepsBodies = true
  /// How long a connection without a request is kept while the server stops, at most half the
  /// drain.
  package var drainGrace: Duration = .seconds(1)
  /// How long the system finishes handshakes that began before the server stopped, at most
  /// `drainGrace`: a round trip of a distant client.
  package var handshakeGrace: Duration = .milliseconds(100)
  /// How long input is read and dropped after an answer that ends a connection (RFC 9112 §9.6).
  package var lingerTime: Duration = .seconds(2)

  /// How long a mute or slow client is left alone where its place is wanted for another.
  package var slowGrace: Duration = .milliseconds(20)
  /// How long a client that was answered keeps its place where that is wanted for another.
  package var idleGrace: Duration = .seconds(5)
  /// The same where the process is short of descriptors.
  package var idleGraceInShortage: Duration = .milliseconds(200)
  /// Whether there are fewer connections than wished, for want of descriptors.
  package internal(set) var areShort = false

  /// The bounds a server starts with.
  package init() {}

  func bodyBytesMax(of method: Method) -> Int {
    keepsBody(of: method) ? bodyBytes : droppedBodyBytes
  }

  func keepsBody(of method: Method) -> Bool { keepsBodies && method.keepsBody }
}

extension Duration {
  /// Whole milliseconds, rounded down; what a deadline is counted in.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

/// How long clients may take, in milliseconds: what would be divided out of durations each time.
struct Patience {
  let idle: Int64
  let head: Int64
  let body: Int64
  let output: Int64
  let linger: Int64

  init(_ limits: Limits) {
    idle = limits.idleTime.milliseconds
    head = limits.headDeadline.milliseconds
    body = limits.bodyDeadline.milliseconds
    output = limits.writeStallTime.milliseconds
    linger = limits.lingerTime.milliseconds
  }
}
