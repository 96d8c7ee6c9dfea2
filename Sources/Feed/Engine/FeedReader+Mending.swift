import Synchronization

extension FeedReader {
  /// How often one call begins again because the store was replaced under it.
  static let mendingsMax = 2

  /// Does something that reads the store, again from the beginning where the file was damaged or
  /// has been replaced meanwhile.
  func retryingOnReplacedFile<Value>(
    _ body: () async throws(ReadError) -> Value
  ) async throws(ReadError) -> Value {
    for _ in 0..<FeedReader.mendingsMax {
      do throws(ReadError) {
        return try await body()
      } catch {
        guard case .store(let cause) = error, mends(after: cause) else { throw error }
      }
    }
    return try await body()
  }

  /// Does something with the store at once, a second time where the file was damaged or replaced.
  func retryingOnceOnReplacedFile<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError)
    -> Value
  {
    do throws(StoreError) {
      return try body()
    } catch {
      guard mends(after: error) else { throw error }
      return try body()
    }
  }

  /// Has a damaged file replaced, or takes note that it was. Returns whether another is there now.
  private func mends(after error: StoreError) -> Bool {
    let before = epoch
    if error.isDamage {
      do throws(StoreError) {
        if let moved = try store.renew(from: before) { report(.storeReplaced(damaged: moved)) }
      } catch {
        report(.notStored(error))
      }
    }
    adoptStoreEpoch()
    return epoch != before
  }

  /// Forgets what was read from a file that is no longer the store's.
  func adoptStoreEpoch() {
    let present = store.epoch
    guard present != epoch else { return }
    change {
      epoch = present
      states.removeAll()
      published.withLock { $0.removeAll() }
    }
    for feed in listeners.keys { tellListeners(of: feed) }
  }
}
