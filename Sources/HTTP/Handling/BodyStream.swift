/// A part of a body that has no end yet, framed once for however many clients get it.
package struct BodyPart: Sendable {
  /// As a chunk (RFC 9112 §7.1): its size, itself, and the ends of both lines.
  let chunk: [UInt8]
  private let start: Int

  /// Frames a part; it has at least one byte, since an empty chunk would end the body.
  package init(_ content: some Collection<UInt8>) {
    precondition(!content.isEmpty, "a part of a body has a byte")
    var chunk = Array((String(content.count, radix: 16) + "\r\n").utf8)
    start = chunk.count
    chunk.append(contentsOf: content)
    chunk.append(contentsOf: "\r\n".utf8)
    self.chunk = chunk
  }

  /// How many bytes it has as it is.
  package var count: Int { chunk.count - 2 - start }

  /// As it is, for a client that knows no chunks.
  var plain: [UInt8] { Array(chunk[start..<chunk.count - 2]) }

  /// What ends a chunked body.
  static let end = "0\r\n\r\n"
}

/// A body that grows for as long as its client listens.
///
/// Made by ``Responder/begin(_:tell:)``. It is only a name for the client's connection: code that
/// has it may write, from any thread, and what is written once the client has gone is dropped.
package struct BodyStream: Sendable {
  /// The loop whose connection it is.
  package let loop: Loop
  let ticket: Ticket

  /// The events of a stream, on its loop's thread.
  package enum Event: Hashable, Sendable {
    /// The socket has taken all that was written so far; sent where that was asked for.
    case taken
    /// It is over; the last event, sent once.
    case ended(Ending)
  }

  /// Why a stream is over.
  package enum Ending: Hashable, Sendable {
    /// The client has gone, took no byte for too long, or only asked for the head.
    case gone
    /// More than the limit waited for the client already when yet another part came.
    case behind
    /// It was ended here, or the server stops.
    case finished
  }

  /// Sends a part; never blocks. With `tellsWhenTaken` an event follows once it has been taken.
  package func write(_ part: BodyPart, tellsWhenTaken: Bool = false) {
    loop.mailbox.post(.part(part, [ticket], tellsWhenTaken: tellsWhenTaken))
  }

  /// Ends the body, and the connection with it, once all that was written is sent.
  package func end() {
    loop.mailbox.post(.endOfBody(ticket))
  }
}

extension Loop {
  /// Sends the same part to many clients of this loop, with one message.
  package func write(_ part: BodyPart, to streams: [BodyStream]) {
    mailbox.post(.part(part, streams.map(\.ticket), tellsWhenTaken: false))
  }
}

/// What a loop keeps of one stream.
struct OpenStream {
  /// Whether its body is chunked; to HTTP/1.0 it ends with the connection.
  var isChunked: Bool
  /// Whether `taken` is due when all is taken.
  var owesTaken = false
  /// Whether it waits for its turn to be written to.
  var isDue = false
  var tell: @Sendable (BodyStream.Event) -> Void

  /// What is done with a part while `waitingBytes` written before have not been taken.
  enum Step: Hashable {
    case write
    case cut
  }

  /// A client that has not taken more than `limitBytes` is cut. What comes now does not count: one
  /// that has taken all before gets a part however large it is.
  static func step(waitingBytes: Int, limitBytes: Int) -> Step {
    waitingBytes > limitBytes ? .cut : .write
  }
}

/// Streams with data to write, each once, in the order in which they got data.
struct DueStreams {
  /// How many are written to before the other connections of the loop have their turn. One takes
  /// the system some 8 µs, so that the others wait for a sixteenth of a millisecond.
  static let turnStreams = 8

  private var tickets: [Ticket] = []

  var isEmpty: Bool { tickets.isEmpty }

  /// Adds one that is not among them.
  mutating func append(_ ticket: Ticket) {
    tickets.append(ticket)
  }

  /// Takes those whose turn it is.
  mutating func takeTurn() -> [Ticket] {
    let turn = Array(tickets.prefix(Self.turnStreams))
    tickets.removeFirst(turn.count)
    return turn
  }
}
