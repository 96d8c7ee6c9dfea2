/// What was really there, as the upstream of a history knows it. Times are milliseconds since 1970.
package protocol Truth: Sendable {
  /// The present.
  var now: Int64 { get }
  /// What the upstream itself found wrong with the calls that came.
  var violation: String? { get }
  /// What readers of this history may rely on.
  var terms: Terms { get }

  /// Whether a list is ordered by keys, and not by an order of its own.
  func isByKey(_ list: String) -> Bool
  /// What a list has now, top first.
  func entries(of list: String) -> [Entry]
  /// When an element was last in a list; nil if it never was.
  func presence(of id: String, in list: String) -> Presence?
  /// How many versions an element has had; nil if there never was such an element.
  func versionCount(of id: String) -> Int?
  /// The elements of a list that may be met at two places for a while, since they moved.
  func wanderers(of list: String) -> Set<String>
  /// The elements whose key ever changed.
  func rekeyed() -> Set<String>
  /// Which second is the last whose elements must be shown by an answer of an instant.
  func lastSettledSecond(at provenAt: Int64) -> Int64
  /// Whether a list may end with `upstreamLimit`.
  func mayBeLimited(_ list: String) -> Bool
  /// What elements share their contents with: the same text for lists that show the same.
  func realm(of list: String) -> String
}

/// What readers of one history may rely on.
package struct Terms: Sendable {
  /// How many servers share the store: numbers and places are compared only for one.
  package var servers: Int
  /// Whether each answer shows what was there when it was sent for.
  package var answersAtOnce: Bool
  /// By how many milliseconds a proof may seem later than it is.
  package var proofSlack: Int64
  /// Whether the store may give up what it knew, so that places are forgotten.
  package var givesUp: Bool

  /// The terms of a history.
  package init(servers: Int, answersAtOnce: Bool, proofSlack: Int64, givesUp: Bool) {
    (self.servers, self.answersAtOnce) = (servers, answersAtOnce)
    (self.proofSlack, self.givesUp) = (proofSlack, givesUp)
  }
}

/// An element as a list has it.
package struct Entry: Sendable {
  /// What names it.
  package var id: String
  /// Its key in seconds; 0 in a list whose order is its own.
  package var second: Int64
  /// Where its key puts it, in a list by keys.
  package var place: Place
  /// Whether a reader can get it: it has a date and sound bytes, and no fault hides it.
  package var isUsable: Bool
  /// Since when it can be used; nil for always.
  package var usableSince: Int64?
  /// The parts of a merged list that show it; empty in any other.
  package var parts: [String] = []

  /// An entry of a list.
  package init(id: String, second: Int64, place: Place, isUsable: Bool, usableSince: Int64?) {
    (self.id, self.second, self.place) = (id, second, place)
    (self.isUsable, self.usableSince) = (isUsable, usableSince)
  }
}

/// When an element was last in a list, all the time at one place.
package struct Presence: Sendable {
  /// Since when.
  package var since: Int64
  /// When it left; nil while it is there.
  package var until: Int64?

  /// A time in a list.
  package init(since: Int64, until: Int64?) {
    (self.since, self.until) = (since, until)
  }
}
