private import Synchronization

/// What the pages of lists were seen to be like. That a page is shorter than it was asked for says
/// that it is the last only where a larger one has come: the upstream may give fewer to everyone.
/// And that it names no next says so only where one has come that did.
final class GivenSizes: Sendable {
  private struct List {
    var most = 0
    var namesNext = false
    var fraction: Int?
  }
  private let lists = Mutex<[String: List]>([:])

  /// Notes a page of a list. Returns whether none that was larger has come.
  func note(_ count: Int, of list: String) -> Bool {
    lists.withLock { lists in
      let most = lists[list]?.most ?? 0
      if count > most { lists[list, default: List()].most = count }
      return count >= most
    }
  }

  /// Notes whether a page of a list has the place where the next is named. Returns whether one of
  /// them had.
  func note(namesNext: Bool, of list: String) -> Bool {
    lists.withLock { lists in
      if namesNext { lists[list, default: List()].namesNext = true }
      return lists[list]?.namesNext ?? false
    }
  }

  /// Notes how many digits behind the dot a key of a list has.
  func note(fraction: Int, of list: String) {
    lists.withLock { lists in
      if fraction > lists[list]?.fraction ?? -1 {
        lists[list, default: List()].fraction = fraction
      }
    }
  }

  /// How many digits behind the dot the keys of a list have; nil where none has come.
  func fraction(of list: String) -> Int? { lists.withLock { $0[list]?.fraction } }
}
