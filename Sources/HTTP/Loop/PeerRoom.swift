/// What the other loops can do where a loop has no connection to close: descriptors and the number
/// of connections belong to all loops together, and one may hold them all. A rule on values.
struct PeerRoom {
  enum Step: Equatable {
    /// Each of them is asked to close connections that only wait.
    case ask
    /// They were asked, and not all have answered.
    case wait
    /// There are none, or all of them are busy.
    case refuse
  }

  /// How long an answer is waited for, in milliseconds: a loop that ends gives none.
  static let answerMaxMilliseconds: Int64 = 1000
  /// How long a refusal by all holds, in milliseconds.
  static let refusalMilliseconds: Int64 = 10

  private let loops: Int
  private var unanswered = 0
  private var hasRoom = false
  private var waitsUntil = Int64.min
  private var refusesUntil = Int64.min

  /// The room of so many loops besides the one that asks.
  init(loops: Int) {
    self.loops = loops
  }

  /// What to do for a client that finds no room here, at `now` of the loop's clock.
  mutating func step(now: Int64) -> Step {
    if unanswered > 0, now < waitsUntil { return .wait }
    guard loops > 0, now >= refusesUntil else { return .refuse }
    unanswered = loops
    hasRoom = false
    waitsUntil = now + Self.answerMaxMilliseconds
    return .ask
  }

  /// One of them has answered: whether it closed a connection or will soon.
  mutating func take(hasRoom hasOne: Bool, now: Int64) {
    guard unanswered > 0 else { return }
    unanswered -= 1
    hasRoom = hasRoom || hasOne
    if unanswered == 0, !hasRoom { refusesUntil = now + Self.refusalMilliseconds }
  }
}
