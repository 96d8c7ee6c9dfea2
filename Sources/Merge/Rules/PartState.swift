import Feed

/// What a part is in its merged feed, whatever is known of it.
final class PartRole: Sendable {
  /// Its name; parts stand in the order of their names.
  let name: String
  /// Whether the feed is shown without it where it fails.
  let isOptional: Bool
  /// By how much its last look may be older than the newest of the others before it is left behind;
  /// of optional parts alone.
  let lag: Duration
  /// How its places lie among the merged ones.
  let scale: PartScale
  /// Which realm it is of, counted from 0: an identity is one item in each.
  let realm: Int
  /// Its place among all parts that are configured.
  let place: Int
  /// The others of its realm: they show the same items.
  let siblings: [Int]
  /// The first part by name of its realm, of all that are configured; nil where it has the realm
  /// alone.
  let shared: String?

  /// A part from what is configured of it.
  init(
    name: String, isOptional: Bool, lag: Duration, scale: PartScale, realm: Int, place: Int = 0,
    siblings: [Int] = [], shared: String? = nil
  ) {
    (self.name, self.isOptional, self.lag, self.scale) = (name, isOptional, lag, scale)
    (self.realm, self.place, self.siblings, self.shared) = (realm, place, siblings, shared)
  }
}

/// How a part stands in one request.
struct PartState {
  /// What is known of it.
  var piece: Piece?
  /// Why it cannot be asked any more; nil while it can.
  var block: Block?
  /// Whether it was asked for this request.
  var isAsked = false

  /// Why a part is not asked any more.
  enum Block: Hashable, Sendable {
    /// It failed.
    case failed(ReadError)
    /// It shows no more, as was found out by asking.
    case wall
    /// Its feed is found to be in another order.
    case unordered(retryAt: Timestamp)

    /// What a request gets that nothing can be shown of.
    var error: ReadError {
      switch self {
      case .failed(let error): error
      case .wall: .timedOut
      case .unordered(let retryAt): .badResponse(retryAt: retryAt)
      }
    }

    /// What is said where it is left out.
    var reason: MissingPart.Reason {
      switch self {
      case .wall: .wall
      case .unordered: .unordered
      case .failed(let error): error.missingReason
      }
    }

    /// When it may be asked again.
    var retryAt: Timestamp? { self == .wall ? nil : error.retryAt }
  }
}
