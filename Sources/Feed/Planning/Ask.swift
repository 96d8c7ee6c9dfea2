/// A place to ask the upstream for, and its purpose. Which page shows the place is decided when the
/// call departs: ``Plan/request(for:by:)``.
package struct Ask: Hashable, Sendable {
  /// What is wanted.
  package var place: Place
  /// What it is for.
  package var purpose: Purpose
  /// When the place was last seen, the top or what is to be proven; nil where it never was. An
  /// answer of later has done what this asks for.
  package var seenAt: Timestamp?

  /// The cut that this is the way to, where another place has to be asked for first; else nil.
  package var target: Cut?

  /// An ask from its parts.
  package init(
    _ place: Place, for purpose: Purpose, seenAt: Timestamp? = nil, towards target: Cut? = nil
  ) {
    (self.place, self.purpose, self.seenAt, self.target) = (place, purpose, seenAt, target)
  }

  /// The cut right below which it is to prove something; nil where it is for something else.
  package var below: Cut? {
    switch place {
    case .below(let cut), .again(_, let cut): cut
    case .top, .above, .sought, .rank: nil
    }
  }
  /// The cut right above which it is to prove something.
  package var above: Cut? { if case .above(let cut) = place { cut } else { nil } }
  /// The search it belongs to.
  package var seek: Seek? { if case .sought(let seek) = place { seek } else { nil } }
  /// Whether it goes on below what is known: right below a cut, or down from the top where nothing
  /// else leads there.
  package var goesOn: Bool { below != nil || place == .top(.max) }
  /// Whether it looks again at a top that was looked at before.
  package var isLook: Bool { if case .top = place { seenAt != nil } else { false } }
}

/// An ask that departed, with the page that was named for it.
@dynamicMemberLookup
package struct Asked: Hashable, Sendable {
  private let ask: Ask
  /// The page; of the size that the upstream serves, once that is known.
  package var window: Window
  /// When its page was shown, where a later answer shows that it is the last.
  package var shownAt: Timestamp?
  /// How many elements its segment has, as the answer says.
  package var segmentTotal: Int?

  /// An ask with its page.
  package init(_ ask: Ask, _ window: Window) { (self.ask, self.window) = (ask, window) }

  /// What the ask says.
  package subscript<Value>(dynamicMember path: KeyPath<Ask, Value>) -> Value {
    ask[keyPath: path]
  }
}
