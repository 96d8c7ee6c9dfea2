import Feed
import Wire

/// Why a request gets an error: a code of the contract and a sentence for people.
///
/// The sentence never repeats what the client sent, nor anything secret.
struct Rejection: Error, Hashable {
  /// The code.
  var code: ProblemCode
  /// The status: the code's own, or a narrower one that HTTP has a rule for.
  var status: Int
  /// What happened, and what is allowed.
  var detail: String
  /// The parameter that is wrong.
  var parameter: String?
  /// The part of a merged feed that failed.
  var part: String?
  /// Seconds after which another try may do better.
  var retryAfterSeconds: Int?
  /// The methods that are allowed, with `method_not_allowed`.
  var allow: String?

  /// A rejection from its parts.
  init(
    _ code: ProblemCode, _ detail: String, status: Int? = nil, parameter: String? = nil,
    retryAfterSeconds: Int? = nil, allow: String? = nil
  ) {
    self.code = code
    self.status = status ?? code.status
    self.detail = detail
    self.parameter = parameter
    self.retryAfterSeconds = retryAfterSeconds
    self.allow = allow
  }

  /// A parameter that is unknown, repeated, empty or contradictory.
  static func parameter(_ name: String, _ detail: String) -> Rejection {
    Rejection(.invalidParameter, detail, parameter: name)
  }

  /// Nothing is at the path.
  static var nothingHere: Rejection {
    Rejection(.notFound, "There is nothing at this path.")
  }

  /// As many requests wait for the upstream as may.
  static var tooManyWaiting: Rejection {
    Rejection(
      .overloaded, "Too many requests are waiting for the upstream.", retryAfterSeconds: 1)
  }

  /// `If-Match` names no tag of what would be sent (RFC 9110 §13.1.1).
  static var preconditionFailed: Rejection {
    Rejection(.badRequest, "ETags here are weak; If-Match matches only *.", status: 412)
  }
}

extension Rejection {
  /// A cursor, the value of a parameter, whose place can no longer be found.
  static func positionExpired(_ parameter: String?) -> Rejection {
    Rejection(
      .cursorExpired, "The position can no longer be found; begin again at the top.",
      parameter: parameter)
  }

  /// The only map from what went wrong in the engine to a code of the contract.
  init(_ error: ReadError, of subject: Subject, at now: Timestamp) {
    switch error {
    case .unknownElement(let isStart):
      self.init(
        .itemNotFound, "No item with this identity is known in this feed.",
        parameter: isStart ? subject.startName : subject.endName)
    case .positionExpired(let isStart):
      self = .positionExpired(isStart ? subject.startName : subject.endName)
    case .reordered:
      self.init(
        .upstreamUnavailable, "The feed now has another order; send the request again.",
        retryAfterSeconds: 1)
    case .notFound:
      self =
        subject.isItem
        ? Rejection(
          .itemNotFound,
          subject.isStored
            ? "No item with this identity is stored." : "The source has no such item.")
        : Rejection(.feedNotFound, "The source has no such feed.")
    case .deleted:
      self.init(.itemDeleted, "The item was deleted upstream.")
    case .refused:
      self.init(.forbidden, "The upstream refuses this feed.")
    case .rateLimited(let until):
      self.init(
        .upstreamRateLimited, "The upstream's rate limit is used up until its reset.",
        retryAfterSeconds: Rejection.seconds(until: until, from: now))
    case .rateAssumed(let rate, let until, let isOpening):
      self.init(rate, isOpening: isOpening, until: until, at: now)
    case .tooManyOpenings(let retryAt, let byClient):
      self.init(
        .tooManyRequests,
        byClient
          ? "This address opens more new feeds than server.newFeedsPerMinute allows."
          : "The share of upstream calls for feeds that are not stored yet is used up.",
        retryAfterSeconds: Rejection.seconds(until: retryAt, from: now))
    case .unavailable(let retryAt):
      self.init(
        .upstreamUnavailable, "The upstream fails, and nothing stored can answer.",
        retryAfterSeconds: Rejection.seconds(until: retryAt, from: now))
    case .unproven(let retryAt, let isUncountable):
      self.init(
        .upstreamUnavailable,
        isUncountable
          ? "More items share this timestamp than one upstream page holds, so their order cannot "
            + "be proven. Retry later."
          : "Nothing can be proven there yet: the answers do not agree with what is known.",
        retryAfterSeconds: Rejection.seconds(until: retryAt, from: now))
    case .badResponse(let retryAt):
      self.init(
        .upstreamBadResponse, "The upstream's answer cannot be used.",
        retryAfterSeconds: Rejection.seconds(until: retryAt, from: now))
    case .timedOut:
      self.init(
        .upstreamTimeout,
        "Nothing stored answers this, and no answer of the upstream came while the request waited.",
        retryAfterSeconds: 1)
    case .store(let error): self.init(error)
    case .part(let name, let error):
      self.init(error, of: subject, at: now)
      part = name
    }
  }

  /// That an assumed rate is used up, or its share for openings.
  private init(_ rate: RateAllowance, isOpening: Bool, until: Timestamp, at now: Timestamp) {
    self.init(
      isOpening ? .tooManyRequests : .upstreamRateLimited,
      "No rate limit is configured, and the upstream sends none, so \(rate.calls) calls in "
        + "\(rate.period.components.seconds) seconds are assumed. "
        + (isOpening ? "The share for feeds that are not stored yet is" : "They are")
        + " used up. The key \(rate.assumedFor ?? "rate") sets another rate.",
      retryAfterSeconds: Rejection.seconds(until: until, from: now))
  }

  /// That a store cannot answer.
  private init(_ error: StoreError) {
    switch error {
    case .unreachable, .unreadable, .overtaken, .absent:
      self.init(
        .upstreamUnavailable,
        "The shared store cannot be reached, and the local copy cannot answer.",
        retryAfterSeconds: 1)
    case .otherForm:
      self.init(
        .upstreamUnavailable,
        "A server with another configuration has stored this feed; update that server too.",
        retryAfterSeconds: 1)
    case .full:
      self.init(
        .overloaded, Rejection.words(for: error), retryAfterSeconds: Rejection.storeSeconds)
    case .corrupt, .replaced, .newerVersion, .foreign, .noFolder, .locked, .failed:
      self.init(.internalError, Rejection.words(for: error))
    }
  }

  /// What a request was about, where that changes the code.
  struct Subject {
    var isItem = false
    /// Whether only what is stored is looked at.
    var isStored = false
    var startName = "startAfter"
    var endName = "endBefore"
  }

  /// After how many seconds a store that cannot be written to may be asked again.
  static let storeSeconds = 5

  /// Whole seconds from now on, at least 1.
  static func seconds(until: Timestamp, from now: Timestamp) -> Int {
    max(1, Int((until - now + .milliseconds(999)).components.seconds))
  }

  /// What a store's failure is, for people.
  static func words(for error: StoreError) -> String {
    switch error {
    case .full: "The store, or its disk, is full."
    case .corrupt: "The store is damaged."
    case .replaced: "The store was damaged and has been replaced."
    case .newerVersion: "The store was made by a newer version."
    case .foreign: "The store's file is no database."
    case .noFolder: "The store's folder is not there."
    case .locked: "The store is in use by another process."
    case .otherForm: "The feed is stored by another configuration."
    case .unreachable, .overtaken, .absent: "The shared store cannot be reached."
    case .unreadable: "A row of the shared store cannot be read."
    case .failed: "The store failed."
    }
  }
}
