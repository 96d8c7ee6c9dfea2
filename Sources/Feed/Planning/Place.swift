/// What is wanted of a feed: a plan names it, and a ``Pager`` the page that shows it.
package enum Place: Hashable, Sendable {
  /// The top, of which so many elements suffice; as many as may be where the number is the
  /// greatest.
  case top(Int)
  /// What lies right below a cut, as at the end of a run.
  case below(Cut)
  /// What lies right above a cut.
  case above(Cut)
  /// What a search looks for.
  case sought(Seek)
  /// What stands at a rank.
  case rank(Int)
  /// What a page showed, once more, to prove again what lies right below a cut.
  case again(Window, below: Cut)
}
