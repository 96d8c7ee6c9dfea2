import Feed

/// How a step of giving up a feed ended.
package enum EvictionResult: Hashable, Sendable {
  /// A part of it is gone; there is more.
  case partly
  /// It is gone.
  case wholly
  /// It stays as it is: somebody waits for it or has read it meanwhile, or no more may go.
  case not
}

extension StoreHousekeeping {
  /// The next step of giving up a feed; `standing` is its timeline, where a reader has it.
  func step(
    of victim: Eviction.Victim, standing: Timeline?
  ) throws(StoreError) -> Eviction.Step {
    var limit = Eviction.foot(keepsTop: victim.keepsTop)
    while var foot = try foot(of: victim.name, limit: limit) {
      if let standing { foot.timeline = standing }
      let step = Eviction.step(for: foot, limit: limit, keepsTop: victim.keepsTop)
      guard step == .needsMore else { return step }
      limit *= 2
    }
    return .nothing
  }

  /// Writes a step down.
  func take(_ step: Eviction.Step, of victim: Eviction.Victim) throws(StoreError) {
    switch step {
    case .drop: try drop(victim.name)
    case .cut(let cut, let timeline): try self.cut(victim.name, below: cut, leaving: timeline)
    case .needsMore, .nothing: break
    }
  }
}
