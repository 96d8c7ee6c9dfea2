/// What shows that an upstream does not answer as it is said to.
package enum RecipeSign: String, CaseIterable, Sendable {
  /// No element of an answer can be used, or the answer contradicts what was asked for.
  case unusable
  /// The elements do not come in the order of the field that is named.
  case unordered
  /// The same elements come wherever a page begins.
  case repeated
  /// Pages are smaller than they are asked for.
  case short
  /// Pages come in sizes of the upstream's own, or are refused in others.
  case resized
  /// Answers in a row brought nothing new.
  case barren
  /// The total is not exact.
  case inexact
  /// An answer that is to be the whole list names a next page.
  case partial
  /// A full page says nothing at the place where the next one is to be named.
  case silent
  /// What names the next page counts elements or pages, so that it leads elsewhere once the list
  /// has moved.
  case counting
  /// A page was not where it was asked for: a redirect led there, which is a second call.
  case redirected
}
