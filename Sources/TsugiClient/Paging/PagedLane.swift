/// What loads in one direction: at most one load, and after a failure a rest.
struct PagedLane: Sendable {
  /// A load in progress.
  struct Load: Hashable, Sendable {
    /// Its number.
    var number: Int
    /// What was asked.
    var request: SliceRequest
    /// Whether it was asked for by name, and not only by a row near the end.
    var isWished: Bool
  }

  /// What is shown of it.
  var state = LoadState.idle
  /// The load in progress.
  private(set) var load: Load?
  /// The rest in progress: until it is over nothing begins.
  private(set) var rest: Int?
  /// Whether the rest is one that the server asked for.
  private(set) var isServersRest = false
  /// Whether somebody asked for a load by name.
  private(set) var isWished = false
  private(set) var failures = 0
  private var attemptsLeft: Int
  private let attemptsMax: Int
  /// Whether asking again by itself is of no use.
  private var isBlocked = false

  /// A lane in which nothing ever happened.
  init(retriesMax: Int) {
    attemptsMax = min(max(retriesMax, 0), .max - 1) + 1
    attemptsLeft = attemptsMax
  }

  /// Whether a load may begin, if one is needed.
  var mayStart: Bool {
    load == nil && rest == nil && (isWished || attemptsLeft > 0)
  }

  /// Whether it gave up and waits for a row to appear again.
  var isExhausted: Bool { attemptsLeft == 0 && !isBlocked }

  /// The app asks for a load by name; one in progress is what it asks for.
  mutating func wish() {
    if load == nil { isWished = true } else { load?.isWished = true }
  }

  /// Begins a load; the wish for it is granted.
  mutating func begin(_ number: Int, _ request: SliceRequest) {
    load = Load(number: number, request: request, isWished: isWished)
    isWished = false
    state = .loading
  }

  /// Goes on with another request, as the same load.
  mutating func goOn(_ number: Int, _ request: SliceRequest) {
    load?.number = number
    load?.request = request
  }

  /// Lets go of the load, as if it had not begun; gives its number.
  mutating func abandon() -> Int? {
    guard let load else { return nil }
    isWished = isWished || load.isWished
    self.load = nil
    state = .idle
    return load.number
  }

  /// The load brought what was asked.
  mutating func succeed() {
    load = nil
    state = .idle
    rest = nil
    (failures, attemptsLeft, isBlocked) = (0, attemptsMax, false)
  }

  /// The load failed; the lane rests, and may then try again where the error `mayPass`. Without an
  /// error somebody else cancelled it: nothing to show, but to try again immediately would be a
  /// loop.
  mutating func fail(_ error: TsugiError?, rest number: Int, mayPass: Bool) {
    load = nil
    state = error.map { .failed($0, retryAfter: $0.retryAfter) } ?? .idle
    failures += 1
    attemptsLeft = max(0, attemptsLeft - 1)
    isBlocked = !mayPass
    if isBlocked { attemptsLeft = 0 }
    rest = number
    isServersRest = error?.retryAfter != nil
  }

  /// A rest is over; false when it was another one.
  mutating func wake(_ number: Int) -> Bool {
    guard rest == number else { return false }
    rest = nil
    return true
  }

  /// Does not try by itself any more.
  mutating func giveUp() {
    attemptsLeft = 0
  }

  /// May try once more: a row appeared again.
  mutating func rearm() {
    if isExhausted { attemptsLeft = 1 }
  }

  /// Somebody asks for another try: now, or as soon as the server allows.
  mutating func retry() {
    wish()
    if !isServersRest { rest = nil }
  }

  /// Something else got through: what failed may do better now.
  mutating func recover() {
    guard load == nil else { return }
    let isResting = rest != nil && isServersRest
    if state.error != nil, !isResting { state = .idle }
    if !isResting { rest = nil }
    (failures, attemptsLeft, isBlocked) = (0, attemptsMax, false)
  }
}
