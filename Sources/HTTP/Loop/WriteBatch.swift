/// Which answers of one round of the loop wait for each other, so that they are sent one after
/// another.
///
/// A client that waits for its answer sleeps, and who sends it one has to wake its processor, which
/// takes as long as a tenth of a slice. Of several sent in a row only the first does that. So an
/// answer waits while others are being made, and never for what has yet to come.
struct WriteBatch {
  /// Answers that wait at most.
  static let answersMax = 32
  /// Bytes of answers that wait at most, and the rest of the one that reaches it.
  static let bytesMax = 256 * 1024

  /// Whether there is more to be answered in this round.
  var isOpen = false
  /// Whether the next answer to be sent is one that may wait.
  private var isOffered = false
  private var tickets: [Ticket] = []
  private var bytes = 0

  var isEmpty: Bool { tickets.isEmpty }
  var isFull: Bool { tickets.count >= Self.answersMax || bytes >= Self.bytesMax }

  /// Says of the answer about to be sent that nothing else is behind it on its connection.
  mutating func offer() {
    isOffered = isOpen && !isFull
  }

  /// Whether what is about to be sent was offered; it is to be sent or added now.
  mutating func takeOffer() -> Bool {
    defer { isOffered = false }
    return isOffered
  }

  /// Lets an answer of so many bytes wait.
  mutating func add(_ count: Int, for ticket: Ticket) {
    tickets.append(ticket)
    bytes += count
  }

  /// Those that wait, in their order; then none does.
  mutating func takeAll() -> [Ticket] {
    defer {
      tickets.removeAll(keepingCapacity: true)
      bytes = 0
    }
    return tickets
  }
}
