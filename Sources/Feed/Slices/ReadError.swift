/// Why a request got no slice. Each becomes one code of the contract.
package enum ReadError: Error, Hashable, Sendable {
  /// `id:` named an element that is not known in this feed.
  case unknownElement(isStart: Bool)
  /// A position in a feed without order by value can no longer be found.
  case positionExpired(isStart: Bool)
  /// The feed is served in another order than was asked for, from now on.
  case reordered
  /// The upstream does not know the feed, or the item.
  case notFound
  /// The item is known to have gone.
  case deleted
  /// The upstream refuses the feed.
  case refused
  /// The upstream's budget is spent.
  case rateLimited(until: Timestamp)
  /// The rate is spent that is assumed of an upstream of which none is declared, and that names
  /// none; or its share for feeds not yet stored.
  case rateAssumed(RateAllowance, until: Timestamp, isOpening: Bool)
  /// This hour's share of calls for feeds not yet stored is spent, or what one client may open.
  case tooManyOpenings(retryAt: Timestamp, byClient: Bool)
  /// The upstream fails; asked again no earlier than `retryAt`.
  case unavailable(retryAt: Timestamp)
  /// Nothing is proven there, whatever answers show. Where they have more elements of one second
  /// than one shows, these cannot be counted: each answer has another order, or they are too many
  /// to hold. Tried again no earlier than `retryAt`.
  case unproven(retryAt: Timestamp, isUncountable: Bool)
  /// The upstream's answer cannot be used; asked again no earlier than `retryAt`.
  case badResponse(retryAt: Timestamp)
  /// The upstream did not answer within the time the client waits; the call goes on.
  case timedOut
  /// The store failed.
  case store(StoreError)
  /// The part of a merged feed that has this name failed.
  indirect case part(String, ReadError)
}
