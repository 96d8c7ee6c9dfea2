/// The (page, per_page) pair asked of the upstream. It covers the ranks
/// `(page − 1) · perPage` to `page · perPage − 1`, counted from 0 at the top.
package struct Window: Hashable, Sendable {
  /// The highest page Qiita serves; 101 is answered with 400.
  package static let pageMax = 100
  /// The most elements Qiita puts on one page.
  package static let perPageMax = 100
  /// How many elements can be reached at all: 10,000.
  package static let reachMax = pageMax * perPageMax

  /// 1 to ``pageMax``.
  package var page: Int
  /// 1 to ``perPageMax``.
  package var perPage: Int

  /// A window from its two numbers.
  package init(page: Int, perPage: Int) {
    self.page = page
    self.perPage = perPage
  }

  /// The first rank it covers, from 0 at the top.
  package var firstRank: Int { (page - 1) * perPage }
  /// The first rank below it.
  package var endRank: Int { page * perPage }
}
