/// Something that a client, a list or a store did, for an app's log.
///
/// `feed` is the path alone; never is a key, a parameter's value or an item in it.
///
///     client.log = { event in logger.debug("\(String(describing: event))") }
public enum FeedEvent: Sendable {
  /// A request is over: the status of its answer, nil where none came, and the bytes of its body.
  case requested(feed: String, verb: String?, status: Int?, bytes: Int, took: Duration)
  /// Changes came, by asking or listening.
  case changed(feed: String, upserts: Int, removals: Int)
  /// An item or a change cannot be read, and is passed over.
  case dropped(feed: String, reason: String)
  /// A connection for events was made, or ended.
  case listening(feed: String, isConnected: Bool)
  /// One transaction was written: so many items, and the bytes of their JSON.
  case stored(rows: Int, bytes: Int, took: Duration)
  /// So many lists and items left the file, since it was full.
  case evicted(lists: Int, items: Int)
  /// The file cannot be written, or used at all; lists go on without it.
  case storeFailed(reason: String)
  /// The file was damaged, or of another version, and was begun again.
  case storeReset(reason: String)

  /// A request that is over.
  static func requested(
    _ target: Target, status: Int?, bytes: Int, took: Duration
  ) -> FeedEvent {
    // A colon within a part is encoded, so that only a verb's is left.
    let parts = target.path.split(separator: ":", maxSplits: 1).map(String.init)
    return .requested(
      feed: parts.first ?? "", verb: parts.count > 1 ? parts[1] : nil, status: status,
      bytes: bytes, took: took)
  }
}
