package import Feed
package import SharedStore
import Synchronization

/// A server's way to what is shared, that fails on demand: a call is lost before it has an effect,
/// or after it had one, so that nobody knows.
package final class FaultyLedger: SharedLedger {
  private let base: any SharedLedger
  private let isCut = Mutex(false)
  private let change = Mutex<(@Sendable (inout Ground) -> Void)?>(nil)
  private let isRepeating = Mutex(false)
  private let isLost: @Sendable (_ isAfter: Bool) -> Bool

  /// A way to a ledger, on which those calls are lost of which `isLost` says so.
  package init(to base: any SharedLedger, isLost: @escaping @Sendable (_ isAfter: Bool) -> Bool) {
    self.base = base
    self.isLost = isLost
  }

  /// From now on nothing comes through.
  package func cut() { isCut.withLock { $0 = true } }

  /// From now on what ends a call takes effect, its acknowledgement is lost, and it is made again.
  package func repeatEnds() { isRepeating.withLock { $0 = true } }

  /// From now on grounds are told otherwise.
  package func distort(_ change: @escaping @Sendable (inout Ground) -> Void) {
    self.change.withLock { $0 = change }
  }

  private func call<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    if isCut.withLock({ $0 }) || isLost(false) { throw .unreachable(message: "lost before") }
    let value = try body()
    if isLost(true) { throw .unreachable(message: "lost after") }
    return value
  }

  package func beat(_ server: Server) throws(StoreError) -> Heartbeat {
    try call { () throws(StoreError) in try base.beat(server) }
  }

  package func leave(_ server: Server) throws(StoreError) {
    try call { () throws(StoreError) in try base.leave(server) }
  }

  package func ground(of call: SharedCall, for server: Server) throws(StoreError) -> Ground {
    var ground = try self.call { () throws(StoreError) in try base.ground(of: call, for: server) }
    change.withLock { $0 }?(&ground)
    return ground
  }

  package func claim(
    _ call: SharedCall, knowing ground: Ground, leaving budget: Budget, lease: Duration,
    for server: Server
  ) throws(StoreError) -> Token? {
    try self.call { () throws(StoreError) in
      try base.claim(call, knowing: ground, leaving: budget, lease: lease, for: server)
    }
  }

  package func settle(
    _ call: SharedCall, token: Token, leaving end: SharedEnd, for server: Server
  ) throws(StoreError) -> Bool {
    try self.call { () throws(StoreError) in
      try base.settle(call, token: token, leaving: end, for: server)
    }
  }

  package func write(
    _ rows: SharedRows, over base: SharedState?, of call: (call: SharedCall, token: Token)?,
    leaving end: SharedEnd?, for server: Server
  ) throws(StoreError) -> SharedMove? {
    try self.call { () throws(StoreError) in
      if end != nil, isRepeating.withLock({ $0 }) {
        _ = try self.base.write(rows, over: base, of: call, leaving: end, for: server)
      }
      return try self.base.write(rows, over: base, of: call, leaving: end, for: server)
    }
  }

  package func write(
    _ items: [SharedItem], contents: [Identity: [UInt8]], of source: String, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    try call { () throws(StoreError) in
      if ending != nil, isRepeating.withLock({ $0 }) {
        _ = try base.write(items, contents: contents, of: source, ending: ending, for: server)
      }
      return try base.write(
        items, contents: contents, of: source, ending: ending, for: server)
    }
  }

  package func delete(
    _ ids: [Identity], realm: String, of source: String, sentAt: Timestamp, ending: CallEnding?,
    for server: Server
  ) throws(StoreError) -> SharedMove? {
    try call { () throws(StoreError) in
      try base.delete(
        ids, realm: realm, of: source, sentAt: sentAt, ending: ending, for: server)
    }
  }

  package func drop(
    _ feed: String, of source: String, unless recipe: Int64?
  ) throws(StoreError) {
    try call { () throws(StoreError) in try base.drop(feed, of: source, unless: recipe) }
  }

  package func news(beyond copy: SourceCopy) throws(StoreError) -> StoreNews? {
    try call { () throws(StoreError) in try base.news(beyond: copy) }
  }

  package func feed(_ name: String) throws(StoreError) -> SharedRows? {
    try call { () throws(StoreError) in try base.feed(name) }
  }

  package func items(
    _ ids: [Identity], realm: String
  ) throws(StoreError) -> (items: [SharedItem], contents: [Identity: [UInt8]]) {
    try call { () throws(StoreError) in try base.items(ids, realm: realm) }
  }

  package func budget(of name: String) throws(StoreError) -> Budget? {
    try call { () throws(StoreError) in try base.budget(of: name) }
  }

  package func note(_ reads: [String: Timestamp]) throws(StoreError) {
    try call { () throws(StoreError) in try base.note(reads) }
  }

  package func begin(after epoch: String) throws(StoreError) {
    try call { () throws(StoreError) in try base.begin(after: epoch) }
  }
}
