private import Synchronization

/// The sizes of the pages that lists were seen to give. That a page is shorter than it was asked
/// for says that it is the last only where a larger one has come: the upstream may give fewer to
/// everyone.
final class GivenSizes: Sendable {
  private let sizes = Mutex<[String: Int]>([:])

  /// Notes a page of a list. Returns whether none that was larger has come.
  func note(_ count: Int, of list: String) -> Bool {
    sizes.withLock { sizes in
      let most = sizes[list] ?? 0
      if count > most { sizes[list] = count }
      return count >= most
    }
  }
}
