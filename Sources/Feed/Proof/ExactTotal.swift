/// Whether the total that a list tells is as exact as its recipe says: of pages of one size, the
/// one that is not full ends the list, and so counts it.
package struct ExactTotal: Hashable, Sendable {
  /// Answers in a row that must count otherwise: one may be cut short by a fault.
  package static let answersMax = 3

  private var contradictions = 0

  /// One that was never counted otherwise.
  package init() {}

  /// Whether it is not exact. Nothing makes it so again.
  package var isRefuted: Bool { contradictions >= ExactTotal.answersMax }

  /// Notes an answer to a window that begins at an exact rank. A full page counts nothing, nor does
  /// an empty one that begins where the list ends.
  package mutating func note(_ page: Page, to window: Window) {
    guard !isRefuted, let total = page.total, page.count < window.perPage else { return }
    let end = window.firstRank + page.count
    guard page.count > 0 || total > end else { return }
    contradictions = total == end ? 0 : contradictions + 1
  }
}
