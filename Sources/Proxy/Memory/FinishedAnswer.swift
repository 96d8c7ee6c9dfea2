import Feed
import Freshness
import HTTP

/// An answer as it was sent, to be sent again while nothing it says has changed.
///
/// It says what is stored, and how old that is. The first changes when its feed's version moves,
/// the second with time alone; `Age`, `ttl`, the date and the request's id are written again each
/// time.
final class FinishedAnswer {
  /// The target it answers, as it was sent.
  let target: [UInt8]
  /// The host it answers, where it hangs on that.
  let host: [UInt8]?
  /// Whether it is of Qiita's own paths, whose clients are sent the upstream calls left.
  let isQiitas: Bool
  /// The coding it answers: a small body is kept as it is for those, too, who take gzip.
  let coding: ContentCoding
  /// The 200; encoded when first asked for, which for a slice deep in a feed it mostly never is.
  private(set) lazy var whole = encodedWhole()
  /// The 304, which repeats what the 200 says of keeping (RFC 9110 §15.4.5); encoded when first
  /// asked for, which for most it never is.
  private(set) lazy var unchanged = EncodedAnswer(plain.unchanged)
  /// The tag, as a field's value.
  let entityTag: [UInt8]
  /// Whether what it says is no longer fresh; that never changes while it is valid.
  let isStale: Bool
  /// What it was read from.
  let origin: Origin
  /// What was answered; its body only until that is encoded.
  private var plain: Response
  private let checkedAt: Timestamp
  private let freshSeconds: Int64
  private let life: Range<Timestamp>
  /// What it takes of the cache, in bytes: its parts and a little for their places.
  let size: Int

  /// What it takes besides its parts: the room in both answers, and its places.
  private static let ownBytes = 1536

  /// Fields that an answer has of its own each time.
  private static let ownFields = ["Age", "Cache-Status"]

  /// What an answer is read from, and the version of that: the answer is the same while it is.
  enum Origin {
    /// A slice of a feed.
    case feed(any SliceSource, any FeedVersion)
    /// A single item.
    case item(any SliceSource, any FeedVersion)
    /// What else an upstream has answered.
    case raw(any RawCaching, UInt64)

    var isCurrent: Bool {
      switch self {
      case .feed(_, let version), .item(_, let version): version.isCurrent
      case .raw(let cache, let version): cache.version == version
      }
    }

    /// The source of a slice or an item.
    var reader: (any SliceSource)? {
      switch self {
      case .feed(let reader, _), .item(let reader, _): reader
      case .raw: nil
      }
    }
  }

  /// Where the world stood before a slice was read.
  struct Moment {
    var now: Timestamp
    /// The feed's version; nil where it has none, and no answer is kept.
    var version: (any FeedVersion)?
  }

  /// Keeps `response`, made of a slice or an item that was read from a version at an instant or
  /// later. Of an item it is not said whether it is stale.
  convenience init(
    _ response: Response, to target: [UInt8], as coding: ContentCoding, freshness: Freshness,
    from origin: Origin, by policy: Policy, at now: Timestamp, host: String? = nil,
    isQiitas: Bool = false
  ) {
    var isStale = false
    if case .feed = origin { isStale = freshness.state != .fresh }
    self.init(
      response, to: target, as: coding, from: origin,
      age: Age(
        checkedAt: freshness.checkedAt, freshSeconds: policy.freshSeconds, isStale: isStale,
        life: now..<freshness.changesAt(after: now, by: policy)),
      host: host, isQiitas: isQiitas)
  }

  /// How old an answer is, and how long it is what would be answered.
  struct Age {
    /// From when on it grows older.
    var checkedAt: Timestamp
    /// How long it is fresh from then on.
    var freshSeconds: Int64
    /// Whether it is no longer fresh.
    var isStale = false
    /// While it is what would be answered.
    var life: Range<Timestamp>
  }

  /// Keeps `response` while its origin is as it was, and its age allows.
  init(
    _ response: Response, to target: [UInt8], as coding: ContentCoding, from origin: Origin,
    age: Age, host: String? = nil, isQiitas: Bool = false
  ) {
    self.target = target
    self.host = host.map { Array($0.utf8) }
    self.isQiitas = isQiitas
    self.coding = coding
    self.origin = origin
    (checkedAt, freshSeconds) = (age.checkedAt, age.freshSeconds)
    (isStale, life) = (age.isStale, age.life)
    var plain = response
    for name in FinishedAnswer.ownFields { plain.fields.remove(name) }
    entityTag = Array((plain.fields["ETag"] ?? "").utf8)
    self.plain = plain
    size =
      target.count + (host?.count ?? 0) + plain.body.count + 4 * plain.fields.byteCount
      + FinishedAnswer.ownBytes
  }

  private func encodedWhole() -> EncodedAnswer {
    defer { plain.body = [] }
    return EncodedAnswer(plain)
  }

  /// Whether it is what would be answered at `now`.
  func isValid(at now: Timestamp) -> Bool {
    // Compared as numbers: through `Comparable` it took four calls.
    now.milliseconds >= life.lowerBound.milliseconds
      && now.milliseconds < life.upperBound.milliseconds && origin.isCurrent
  }

  /// Seconds since its range was last seen upstream.
  func age(at now: Timestamp) -> Int64 {
    max(0, (now.milliseconds - checkedAt.milliseconds) / 1000)
  }

  /// How much longer it is fresh, in seconds; negative when it is not.
  func timeToLive(at now: Timestamp) -> Int64 {
    freshSeconds - age(at: now)
  }
}

extension Freshness {
  /// The first instant after `now` at which `state` may be another, or a request for the same be
  /// more than answered. A stale slice is looked at again behind every reply, which a finished
  /// answer does not do: it is valid to the next second of its age, so that one look a second
  /// stays.
  func changesAt(after now: Timestamp, by policy: Policy) -> Timestamp {
    var next = Int64.max
    func consider(_ instant: Timestamp, _ seconds: Int64) {
      let milliseconds = instant.milliseconds + seconds * 1000
      if milliseconds > now.milliseconds { next = min(next, milliseconds) }
    }
    consider(checkedAt, policy.freshSeconds)
    consider(checkedAt, policy.staleSeconds)
    consider(provenAt, policy.recheckSeconds)
    consider(provenAt, policy.staleSeconds)
    if state != .fresh {
      consider(checkedAt, age(at: now) + 1)
    }
    return next == .max ? now : Timestamp(milliseconds: next)
  }
}
