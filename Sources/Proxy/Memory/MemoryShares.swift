/// How many bytes each of those may hold who keep something for peers, out of what the process may
/// have: together less than half, since as much lies between what is in use.
package struct MemoryShares: Sendable, Hashable {
  /// Replies unread, requests not whole, listeners behind: see ``Limits/heldBytes``.
  package var heldBytes: Int
  /// Finished answers, of all loops together where they are few.
  var answerBytes: Int
  /// Items of large slices that are not rendered yet; while one is, it takes three times as much.
  var backlogBytes: Int
  /// Events that were sent lately, of all channels.
  var eventBytes: Int

  /// The shares of a process that may have so many bytes; nil is no limit.
  package init(ofBytes limit: Int? = nil) {
    let limit = limit ?? 1 << 40
    heldBytes = min(48 << 20, limit / 8)
    answerBytes = min(64 << 20, limit / 8)
    backlogBytes = min(16 << 20, limit / 32)
    eventBytes = min(16 << 20, limit / 32)
  }
}
