/// The number of a change in a feed, with the epoch of the store that counts: `k3f9x0ab.57`.
package struct SequenceNumber: Hashable, Sendable {
  /// The random name made with the store's file; another file's numbers mean nothing here.
  package var epoch: String
  /// 0 where no change was sent yet.
  package var number: Int64
  /// How many of the elements it is past that were merely learnt since that change.
  package var learnt: Int64 = 0
  /// The numbers of its parts in a merged feed, where they are in the place of `number`; nil in any
  /// other.
  package var parts: PartNumbers?

  /// The characters of an epoch that are given out. What follows distinguishes files of one
  /// history, where the file is a copy of a shared store.
  package static let epochCount = 8

  /// A number from its parts.
  package init(
    epoch: String, number: Int64, learnt: Int64 = 0, _ parts: PartNumbers? = nil
  ) {
    self.epoch = SequenceNumber.told(epoch)
    (self.number, self.learnt) = parts == nil ? (number, learnt) : (0, 0)
    self.parts = parts
  }

  /// What is given out of an epoch.
  package static func told(_ epoch: String) -> String { String(epoch.prefix(epochCount)) }

  /// Whether a text is an epoch that a server made.
  package static func isEpoch(_ text: String) -> Bool {
    text.utf8.count == epochCount && text.utf8.allSatisfy(isEpochByte)
  }

  private static func isEpochByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A new epoch: eight random characters, such as `k3f9x0ab`, 41 bits, so that two stores never
  /// share one.
  package static func madeEpoch() -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<epochCount).map { _ in letters[Int.random(in: letters.indices)] })
  }

  /// The most bytes of its text.
  package static let bytesMax = 64

  /// The number that a text names; nil for a text that never was one.
  package init?(_ text: some StringProtocol) {
    if text.utf8.count <= PartNumbers.bytesMax, let mark = text.firstIndex(of: "~") {
      guard SequenceNumber.isEpoch(String(text[..<mark])),
        let parts = PartNumbers(text[text.index(after: mark)...])
      else { return nil }
      (epoch, number, self.parts) = (String(text[..<mark]), 0, parts)
      return
    }
    let bytes = Array(text.utf8)
    guard bytes.count <= SequenceNumber.bytesMax, let dot = bytes.lastIndex(of: UInt8(ascii: "."))
    else { return nil }
    let numbers = bytes[(dot + 1)...].split(
      separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    let isNumber = numbers.joined().allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    // An epoch is made of letters and digits; anything else, sent back to the client, could be read
    // as something of its own, as a line end is in an event stream.
    let isEpoch = bytes[..<dot].allSatisfy(SequenceNumber.isEpochByte)
    let known = numbers.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    guard dot > 0, isEpoch, isNumber, known.count == numbers.count, let number = known.first
    else { return nil }
    epoch = String(decoding: bytes[..<dot], as: UTF8.self)
    (self.number, learnt) = (number, known.count > 1 ? known[1] : 0)
  }

  /// What it is given out as.
  package var text: String {
    parts.map { "\(epoch)~\($0.text)" }
      ?? "\(epoch).\(number)" + (learnt > 0 ? "-\(learnt)" : "")
  }
}

extension SequenceNumber {
  /// The most elements with a place of their own of those merely learnt between two changes.
  package static let learntMax: Int64 = 1 << 20 - 1

  /// What an element takes in a store that is merely learnt at this place: below 0, so that it is
  /// no number of a change, and the further the later.
  package var ofLearnt: Int64 {
    -(min(max(0, number), 1 << 33) << 20 | min(max(0, learnt), SequenceNumber.learntMax))
  }

  /// The place of an element that took this in a store, as the number of a change or as
  /// ``ofLearnt``.
  package init(epoch: String, taken: Int64) {
    let place = max(taken, -.max).magnitude
    self.init(
      epoch: epoch, number: taken < 0 ? Int64(place >> 20) : taken,
      learnt: taken < 0 ? Int64(place) & SequenceNumber.learntMax : 0)
  }

  /// The place after this one of an element that is merely learnt after a change.
  package func learning(after number: Int64) -> SequenceNumber {
    var next = self
    next.learnt = number > self.number ? 1 : min(learnt + 1, SequenceNumber.learntMax)
    next.number = max(number, self.number)
    return next
  }
}

/// The last change of one element of a feed.
package struct Change: Hashable, Sendable {
  /// Its number.
  package var number: Int64
  /// Which of the elements it is that were merely learnt after that change; 0 for a change itself.
  package var learnt: Int64 = 0
  /// The element it happened to.
  package var id: Identity
  /// What happened.
  package var event: Event
  /// Whether it has left another place since, by the same number or one after that it was asked
  /// with; only of one that stands somewhere.
  package var hasMoved: Bool
  /// Where it is from, in a merged feed; nil in any other.
  package var origin: ItemOrigin?
  /// What to ask on from after it in a merged feed; nil in any other, whose number says so.
  package var reached: PartNumbers?

  /// What can happen to an element.
  package enum Event: Hashable, Sendable {
    /// It appeared, was edited or moved; it stands here now, with this content.
    case upsert(Position, bytes: [UInt8])
    /// It left the feed; with its last content where that is still kept.
    case remove(bytes: [UInt8]?)
    /// It is gone everywhere.
    case delete
  }

  /// A change from its parts.
  package init(number: Int64, id: Identity, event: Event, hasMoved: Bool = false) {
    self.number = number
    self.id = id
    self.event = event
    self.hasMoved = hasMoved
  }
}

/// A page of the changes after a sequence number.
package struct Changes: Hashable, Sendable {
  /// In the order of their numbers.
  package var changes: [Change]
  /// Where to ask on.
  package var next: SequenceNumber
  /// Whether more has changed already.
  package var hasMore: Bool
  /// The name under which positions are given out; 0 in a feed ordered by value.
  package var lineage: UInt64 = 0
  /// The last number as cursors carry it; nil where the store is not shared.
  package var told: Int64?
  /// What the cursors of a walk that begins at one of them remember.
  package var trail = Trail()

  /// Changes from their parts.
  package init(changes: [Change], next: SequenceNumber, hasMore: Bool) {
    self.changes = changes
    self.next = next
    self.hasMore = hasMore
  }
}

/// The result of reading changes: some, or why there are none.
package enum ChangeReading: Hashable, Sendable {
  /// What changed.
  case changes(Changes)
  /// The number is of another file, beyond the last one given out, or so old that what happened
  /// since is no longer kept whole. The present number comes with it: from there on nothing is
  /// missed.
  case expired(SequenceNumber)

  /// The bytes of its contents together.
  package var byteCount: Int {
    guard case .changes(let changes) = self else { return 0 }
    return changes.changes.reduce(0) { sum, change in
      switch change.event {
      case .upsert(_, let bytes): sum + bytes.count
      case .remove(let bytes): sum + (bytes?.count ?? 0)
      case .delete: sum
      }
    }
  }
}
