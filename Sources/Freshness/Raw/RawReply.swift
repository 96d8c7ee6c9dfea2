package import Feed

/// What a request comes to.
package enum RawReply: Hashable, Sendable {
  /// A kept answer, or one that is kept from now on: conditions and ranges are met here.
  case kept(RawAnswer, CacheStatus)
  /// An answer that is not kept.
  case passed(RawAnswer, CacheStatus)
  /// The client wants nothing that is not kept, and nothing is.
  case notKept
  /// No answer can be had.
  case failed(ReadError, CacheStatus)
}
