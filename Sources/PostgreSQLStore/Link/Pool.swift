import Dispatch
import Feed
import Synchronization

/// A few connections to one PostgreSQL, each used by one thread at a time.
///
/// Where it cannot be reached, calls fail immediately for a while, longer each time: none waits for
/// what will not come, and one of them tries again.
final class Pool: Sendable {
  private struct State: ~Copyable {
    // Safe because each is used only by the call that took it out.
    nonisolated(unsafe) var idle: [Link] = []
    var failures = 0
    var retryAt: ContinuousClock.Instant?
    var failure = SQLFailure.lost("")
  }
  private let url: String
  private let places: DispatchSemaphore
  private let state = Mutex(State())

  /// The first pause after a failure, doubled for each further one, in milliseconds.
  static let pauseMin = 100
  /// The longest.
  static let pauseMax = 2_000
  /// How long a call waits for a connection that others use, in milliseconds.
  static let waitMax = 500
  /// A call that was lost within so long is made again where it may be: its connection was an old
  /// one. After a longer time another try would only wait as long again.
  static let repeatMax = Duration.seconds(1)

  /// A pool of so many connections at most.
  init(_ url: String, connections: Int) {
    self.url = url
    places = DispatchSemaphore(value: connections)
  }

  /// Whether the last try came through.
  var isUp: Bool { state.withLock { $0.failures == 0 } }

  /// The SQLSTATE that the last try was refused with; nil where it was not.
  var denial: String? {
    state.withLock { state in
      guard state.failures > 0, case .denied(let denial, _) = state.failure else { return nil }
      return denial
    }
  }

  /// Does something on a connection. Where `isRepeatable`, a second time where the first connection
  /// turns out to be lost.
  func with<Value>(
    isRepeatable: Bool = false, _ body: (Link) throws(SQLFailure) -> Value
  ) throws(SQLFailure) -> Value {
    guard places.wait(timeout: .now() + .milliseconds(Pool.waitMax)) == .success else {
      throw .lost("all connections are in use")
    }
    defer { places.signal() }
    let begun = ContinuousClock.now
    do throws(SQLFailure) {
      return try once(body)
    } catch {
      guard isRepeatable, case .lost = error, isUp, .now - begun < Pool.repeatMax else {
        throw error
      }
      return try once(body)
    }
  }

  private func once<Value>(
    _ body: (Link) throws(SQLFailure) -> Value
  ) throws(SQLFailure) -> Value {
    let (link, isNew) = try taken()
    do throws(SQLFailure) {
      let value = try body(link)
      give(link)
      return value
    } catch {
      if link.isSound {
        give(link)
      } else {
        // Others of its time are lost as well.
        state.withLock { $0.idle = [] }
        if isNew { note(error) }
      }
      throw error
    }
  }

  private func give(_ link: Link) {
    // Safe because no other thread has it.
    nonisolated(unsafe) let link = link
    state.withLock { state in
      state.failures = 0
      state.retryAt = nil
      state.idle.append(link)
    }
  }

  private func taken() throws(SQLFailure) -> (Link, isNew: Bool) {
    // One that the server has closed meanwhile would lose a call that may not be made twice.
    while let idle = state.withLock({ $0.idle.popLast() }) {
      if !idle.hasEnded { return (idle, false) }
    }
    let failure = state.withLock { state -> SQLFailure? in
      guard let retryAt = state.retryAt else { return nil }
      guard retryAt <= .now else { return state.failure }
      // The others do not wait for this try.
      state.retryAt = .now + .milliseconds(Int(Link.deadline))
      return nil
    }
    if let failure { throw failure }
    do throws(SQLFailure) {
      return (try Link(url), true)
    } catch {
      note(error)
      throw error
    }
  }

  private func note(_ failure: SQLFailure) {
    switch failure {
    case .refused, .fenced: return
    case .lost, .denied: break
    }
    state.withLock { state in
      state.failures += 1
      let pause = min(Pool.pauseMax, Pool.pauseMin << min(state.failures - 1, 8))
      state.retryAt = .now + .milliseconds(pause * Int.random(in: 75...100) / 100)
      state.failure = failure
    }
  }
}
