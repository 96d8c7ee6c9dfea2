import Foundation
import Support
import Synchronization
import TsugiClient

/// The network of an app, which fails when it is told to, and counts what is under way at once.
final class WatchedTransport: HTTPTransport {
  /// What a list asks for, by where it lies.
  enum Direction: Hashable, Sendable {
    case top
    case more
    case previous
    case gap
  }

  private struct Watch {
    var lastNumber = 0
    var underWay: [Int: Direction] = [:]
    var most: [Direction: Int] = [:]
    var failing = 0
    var generator: SeededGenerator

    mutating func begin(_ direction: Direction) -> Int {
      lastNumber += 1
      underWay[lastNumber] = direction
      let count = underWay.values.count { $0 == direction }
      most[direction] = max(most[direction] ?? 0, count)
      return lastNumber
    }
  }

  private let network = URLSessionTransport()
  private let watch: Mutex<Watch>

  init(seed: UInt64) {
    watch = Mutex(Watch(generator: SeededGenerator(seed: seed)))
  }

  /// How many of a hundred requests fail from now on.
  func fail(_ percent: Int) {
    watch.withLock { $0.failing = percent }
  }

  /// The most requests that were under way at once and wanted, in each direction.
  var most: [Direction: Int] { watch.withLock { $0.most } }

  func send(_ request: TransportRequest) async throws -> TransportReply {
    let (number, fails) = watch.withLock { watch in
      let failing = watch.failing
      return (watch.begin(Self.direction(of: request)), watch.generator.chance(failing))
    }
    defer { end(number) }
    return try await withTaskCancellationHandler {
      let reply = try await network.send(request)
      // It was answered, only nobody heard it.
      if fails { throw TransportFailure(.interrupted, "as told") }
      return reply
    } onCancel: {
      // What nobody waits for may still be under way when the next one begins.
      end(number)
    }
  }

  private func end(_ number: Int) {
    watch.withLock { $0.underWay[number] = nil }
  }

  func stream(_ request: TransportRequest) async throws -> TransportStream {
    try await network.stream(request)
  }

  /// A refresh in several parts asks for more than a slice; all else does not.
  private static func direction(of request: TransportRequest) -> Direction {
    let ends = request["endBefore"] != nil || request["endAt"] != nil
    guard request["startAfter"] != nil else {
      return request["limitToLast"] != nil ? .previous : .top
    }
    guard ends else { return .more }
    return request["limit"].flatMap(Int.init) == sliceLimit ? .gap : .top
  }

  /// What a list's slices hold here.
  static let sliceLimit = 20
}
