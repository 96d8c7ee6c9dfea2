/// A window to request upstream, and its purpose.
package struct Ask: Hashable, Sendable {
  /// The window.
  package var window: Window
  /// What it is for.
  package var purpose: Purpose
  /// The cut right below which it is to prove something, as at the end of a run; nil for a look
  /// at the top and for a search.
  package var below: Cut?
  /// The cut right above which it is to prove something.
  package var above: Cut?
  /// When that place was proven before; nil when it never was.
  package var provenAt: Timestamp?
  /// The search it belongs to.
  package var seek: Seek?
  /// The page whose place it is to show.
  package var page: Window?
  /// For a look at the top, when the top had last been looked at.
  package var lookedAt: Timestamp?

  /// An ask from its parts.
  package init(
    _ window: Window, for purpose: Purpose, below: Cut? = nil, above: Cut? = nil,
    provenAt: Timestamp? = nil,
    seek: Seek? = nil, page: Window? = nil, lookedAt: Timestamp? = nil
  ) {
    self.page = page
    self.lookedAt = lookedAt
    self.window = window
    self.purpose = purpose
    self.below = below
    self.above = above
    self.provenAt = provenAt
    self.seek = seek
  }
}

extension Ask {
  /// The ask as the upstream took it: for a page of the size that it serves.
  package func served(by size: inout PageSize, _ page: Page) -> Ask {
    guard
      let served = size.learn(count: page.count, of: window, says: page.endClaim(in: window))
    else {
      return self
    }
    var ask = self
    ask.window.perPage = served
    return ask
  }
}
