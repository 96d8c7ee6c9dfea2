// As much of Network's interface as TsugiClient uses, so that it is type-checked where there is no
// such framework. Signatures as Apple's documentation gives them; nothing is watched.

/// How the network is.
public struct NWPath: Sendable {
  /// Whether it can be used.
  public enum Status: Sendable {
    /// It can.
    case satisfied
    /// It cannot.
    case unsatisfied
    /// It may, once a connection is tried.
    case requiresConnection
  }

  /// Whether it can be used.
  public var status: Status { .satisfied }
}

/// Tells how the network is, and each time that it changes.
public final class NWPathMonitor: AsyncSequence, Sendable {
  /// How it is then.
  public typealias Element = NWPath

  /// A monitor of all there is.
  public init() {}

  /// Begins to tell.
  public func makeAsyncIterator() -> Iterator { Iterator() }

  /// Tells one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    /// How the network is next; nil at the end.
    public mutating func next() async -> NWPath? { nil }
  }
}
