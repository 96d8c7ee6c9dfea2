package import Feed

extension TimelineStore {
  /// Writes an answer that brought one merge.
  package func commit(_ merge: Merge, budget: Budget?) throws(StoreError) -> Int64 {
    try commit([merge], budget: budget)
  }
}
