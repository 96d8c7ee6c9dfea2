/// Decides which connections are closed to make room for a new one: a rule on values.
///
/// Clients that have sent nothing go first, then slow ones, then those that were answered;
/// among equals the one that has kept us waiting longest. No client whose request we answer goes.
enum Shedding {
  /// Eviction order: the lowest rank is closed first; the least goes first.
  enum Rank: UInt8, Comparable {
    /// Opened, and not a byte since.
    case mute
    /// A head or body begun and not ended, or an answer not taken.
    case slow
    /// All is sent, and only the client's end is waited for.
    case leaving
    /// Answered before, and open for a next request.
    case idle

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
  }

  /// A connection that waits for its client.
  struct Candidate: Comparable {
    var rank: Rank
    /// When it began to wait, in milliseconds of the loop's clock.
    var since: Int64
    var slot: UInt32

    static func < (left: Candidate, right: Candidate) -> Bool {
      (left.rank, left.since, left.slot) < (right.rank, right.since, right.slot)
    }
  }

  /// What can be done for a client that finds no room.
  enum Verdict: Equatable {
    /// These slots go, dearest last; never empty.
    case shed([UInt32])
    /// None goes now, but one may in so many milliseconds, when its grace is over.
    case wait(Int64)
    /// All are busy, or were a moment ago.
    case refuse
  }

  /// At most so many go together: enough that a flood does not cost a look at every connection for
  /// each new one, and few enough that most of those who are merely slow stay.
  static let shedMax = 32

  /// Decides at `now` among all that wait: an eighth of those whose grace is over goes.
  ///
  /// Where descriptors are short (`isShort`) who was answered is soon as good as gone, since it can
  /// come again, and a new client rather waits for that than gets 503 itself.
  static func verdict(
    on candidates: [Candidate], now: Int64, limits: Limits, isShort: Bool
  ) -> Verdict {
    let slowGrace = limits.slowGrace.milliseconds
    let idleGrace = (isShort ? limits.idleGraceInShortage : limits.idleGrace).milliseconds
    func graceLeft(_ candidate: Candidate) -> Int64 {
      (candidate.rank == .idle ? idleGrace : slowGrace) - (now - candidate.since)
    }
    let shed = candidates.filter { graceLeft($0) <= 0 }
    guard !shed.isEmpty else {
      let first = candidates.filter { $0.rank <= .slow || isShort }.map(graceLeft).min()
      return first.map { .wait($0) } ?? .refuse
    }
    return .shed(shed.sorted().prefix(max(1, min(shedMax, shed.count / 8))).map(\.slot))
  }
}

extension Connection {
  /// This connection as one to shed; nil while it is busy.
  func candidate(slot: UInt32, patience: Patience) -> Shedding.Candidate? {
    func candidate(_ rank: Shedding.Rank, waiting: Int64) -> Shedding.Candidate {
      // A wait that is for the whole of something began that long before its deadline.
      Shedding.Candidate(rank: rank, since: links.deadline - waiting, slot: slot)
    }
    switch waiting {
    case .nothing: return nil
    case .head: return candidate(isMute ? .mute : .slow, waiting: patience.head)
    case .body: return candidate(.slow, waiting: patience.body)
    case .linger: return candidate(.leaving, waiting: patience.linger)
    case .idle: return candidate(.idle, waiting: patience.idle)
    case .output:
      return outgoing.map {
        Shedding.Candidate(rank: .slow, since: $0.lastTakenAt, slot: slot)
      }
    }
  }

  /// Whether not a byte has come of the head it waits for.
  var isMute: Bool { waiting == .head && incoming == nil }
}
