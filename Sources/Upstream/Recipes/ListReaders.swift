internal import Feed

/// What reads the answers of an API's lists: by a recipe alone, without a call.
struct ListReaders: Sendable {
  /// A list and what reads its elements.
  struct List: Sendable {
    let recipe: ListRecipe
    let elements: ElementReader
    /// Reads one that is shown by itself.
    let one: ElementReader

    /// Elements that stand on top of a first page beside those that were asked for, as pinned ones.
    static let pinnedMax = 4
    /// Which part of a page's size numbered pages may be larger, where no size is asked for: such
    /// may be ranges of identities.
    static let largerShare = 4
    /// The most elements of a page that the one above names.
    static let namedMax = 10_000

    /// A page from an answer to a request for `countMax` elements, or for a whole page where the
    /// window does not say its size; of a first page, or below one whose `top` is known. What
    /// comes beyond them is left for the next page, where an element, a time or an offset names
    /// that; of a numbered page one element, or a few of the first one, since one of another size
    /// begins elsewhere: that has all its elements. So has one that names the next itself.
    ///
    /// - Throws: `.malformed` where the answer says that it is none, is none, or has more; `.cut`.
    func page(
      _ answer: AnswerReader, countMax: Int, isTop: Bool = false, below top: SeenPages.Top? = nil,
      note: (SeenPages.Top) -> Void = { _ in }, pace: WorkPace = WorkPace {}
    ) throws(FetchError) -> Page {
      if let ok = recipe.ok, !answer.isBare, answer.text(ok) == nil {
        throw .malformed(reason: "the answer says that it is none, at \(ok.text)")
      }
      let pages = recipe.pages
      let isSaid = pages.saysSize && !pages.keepsSize
      let most = max(countMax, pages.max)
      let few = isTop ? List.pinnedMax : 1
      let spare =
        switch pages.by {
        case _ where recipe.order == .whole: 0
        case .next: max(0, List.namedMax - most)
        case .page where !pages.saysSize: most / List.largerShare
        case _ where !isSaid: 0
        case .offset, .item, .time, .page: max(most - countMax, few + (top?.beside ?? 0))
        }
      let asked = isSaid ? countMax : most
      var page = try Page(
        answer, of: recipe, elements, countMax: asked, spare: spare, pace: pace)
      let isSized = isSaid && pages.by != .next
      if isTop { note(SeenPages.Top(page, asked: asked, isSized: isSized)) }
      if let top { page.leaveOut(top, pages) }
      let isElsewhere = pages.by == .page && page.count > countMax + few
      return isSized && !isElsewhere ? page.first(countMax) : page
    }
  }

  private let lists: [String: List]

  /// The readers of a recipe's lists.
  init(_ recipe: Recipe) {
    let mark = recipe.qiita.map { _ in QiitaDialect.privateMark }
    let pairs = zip(recipe.lists, recipe.patterns).map { list, pattern in
      // Contents are shared with lists that are ordered by a key: it is read wherever it stands.
      let sibling = recipe.lists.first { other in
        other.key != nil && (recipe.qiita != nil || list.kind != nil && other.kind == list.kind)
      }
      let key = list.key ?? sibling?.key
      return (
        list.path,
        List(
          recipe: list,
          elements: ElementReader(
            list, key: key, unit: pattern.unit, mark: list.isPrivate ? nil : mark),
          one: ElementReader(list.ofOne, key: key, unit: pattern.unit, mark: mark))
      )
    }
    lists = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// The list of a path; nil where there is none.
  subscript(path: String) -> List? { lists[path] }
}
