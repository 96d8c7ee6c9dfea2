/// An event for the log: an upstream call, a faulty element, a store that failed.
package enum Incident: Sendable {
  /// An upstream call ended, well or not.
  case called(EndedCall)
  /// An answer had this many elements with a fault; `isFirst` when the feed had none of the kind
  /// since it was last brought into memory.
  case faultyElements(
    feed: FeedID, window: Window, fault: ElementFault, count: Int, isFirst: Bool)
  /// An answer shows that the upstream is not as it is said to be; `isFirst` when the feed had no
  /// such sign since it was last brought into memory.
  case doubtful(feed: FeedID, window: Window, sign: RecipeSign, isFirst: Bool)
  /// Answers in a row have shown a feed in another order than its elements' times; it is served so.
  case reordered(feed: FeedID)
  /// A feed was stored by another configuration; it is dropped and read again.
  case reconfigured(feed: FeedID)
  /// A call was refused for the first time by a rate that is only assumed.
  case rateAssumed(RateAllowance)
  /// The store could not write; what was fetched is not kept.
  case notStored(StoreError)
  /// The store was damaged: its file is at this path now, and a new one is begun.
  case storeReplaced(damaged: String)
}
