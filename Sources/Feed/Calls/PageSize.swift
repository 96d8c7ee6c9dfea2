/// How many elements a feed's windows ask for: as many as may be, less after an answer that was
/// too large, late or cut, and more again once the smaller size has worked for a while.
///
/// A late or cut answer may be chance, and so may one that was too large: then the size that failed
/// is tried again. Where it is too large again, sizes between are tried until the largest that is
/// borne is nearly found; for more the upstream is asked ever less often.
///
/// An upstream may also serve fewer elements than were asked for, whatever was asked: then its
/// pages are of that size, and so windows are. Or it keeps to some sizes only: it rounds others, or
/// refuses them. Then smaller ones than it is known to keep to are not asked for.
package struct PageSize: Sendable {
  /// The fewest it goes down to.
  package static let perPageMin = 10
  /// Answers in a row that a size must bring before a larger one is tried again.
  package static let workedMin = 8
  /// The same before a size is tried that has failed again and again: doubled each time, up to
  /// this.
  package static let workedMax = 512

  /// By how many ranks two answers may end apart that show one end.
  package static let driftMax = 2
  /// Answers after which smaller sizes are tried again than the upstream kept to.
  static let leastAnswersMax = 512
  /// The most ranks by which a list may have moved between two pages that are taken for one.
  static let suspectMax = 3
  /// Answers after which a size that the upstream kept to is no longer relied on.
  static let servedAnswersMax = 64
  /// The same of a size of which one answer came.
  static let servedAnswersMin = 16

  /// The most elements a window asks for now.
  package var perPageMax: Int { min(size, served ?? size) }
  /// The most elements of which a window is known to come whole: what looks at the top ask for,
  /// which readers wait for.
  package var perPageSure: Int { isTrial ? min(perPageBorne, perPageMax) : perPageMax }
  private var size: Int
  /// The size that the upstream bears as far as it says: the full one.
  private let full: Int
  /// The size of the upstream's pages, where that is smaller than what was asked for: how many
  /// elements one has on which more follows. Nil where none was seen.
  package private(set) var served: Int?
  /// The last answer that was shorter than asked for, and perhaps not the last page.
  private var short: Short?
  private var servedAnswers = 0
  /// The least size that the upstream keeps to, as far as is known.
  package private(set) var least = 1
  private var leastAnswers = 0
  /// The last window that was answered in another size, or refused, where no answer since showed
  /// that its size is kept to; and the least size that it shows to be.
  private var unkept: (window: Window, least: Int)?
  private var suspicion: Suspicion?
  /// For how many answers sizes are trusted that were suspected.
  private var trustedAnswers = 0
  private var hiding = Hiding()
  /// The least size that failed since the size last grew past it; beyond all sizes when none did.
  package private(set) var perPageFailed = Int.max
  /// The last size that worked.
  private var perPageBorne: Int
  private var worked = 0
  private var patience = PageSize.workedMin
  /// Whether the size is larger than the last one that worked, and has not yet worked.
  private var isTrial = false

  /// The size that is known to come whole, where larger ones were too large again when they were
  /// tried again: once may be chance.
  package var borne: Int? {
    let size = isTrial ? perPageBorne : size
    return patience > PageSize.workedMin && size < full ? size : nil
  }

  /// The window that shows whether another came in a smaller size; nil where none is suspected.
  package var check: Window? { suspicion?.check }

  /// Whether elements are hidden in pages, which come shorter by that: then equal counts are
  /// chance, and a page that shows nothing new says nothing of the end.
  package var hides: Bool { hiding.isBelieved }

  /// Whether the last window of a smaller size than the full one was not answered in it.
  package var isUnkept: Bool { unkept != nil }

  /// Goes on with what was found out before a restart, or at another server.
  package mutating func adopt(served: Int?, borne: Int?, least: Int?) {
    if let least, (1...full).contains(least) { self.least = least }
    if let served, self.served == nil, (1..<max(2, full)).contains(served) { serve(served) }
    guard let borne, (1..<max(2, size)).contains(borne) else { return }
    (size, perPageBorne, worked, isTrial) = (borne, borne, 0, false)
    patience = max(patience, 2 * PageSize.workedMin)
  }

  /// The full size of a source's windows.
  package init(full: Int) {
    self.full = full
    size = full
    perPageBorne = min(PageSize.perPageMin, full)
  }

  /// Takes a smaller size after an answer of `perPage` elements that was too large, or late or cut:
  /// half, or the last size that worked. One that asked for more than the size allows says nothing
  /// of it.
  package mutating func shrink(after perPage: Int, isTooLarge: Bool) {
    if isTooLarge { perPageFailed = min(perPageFailed, perPage) }
    guard perPage <= size else { return }
    worked = 0
    defer {
      isTrial = false
      least = min(least, size)
    }
    guard isTrial, isTooLarge else {
      size = max(min(PageSize.perPageMin, full), size / 2)
      return
    }
    patience = min(patience * 2, PageSize.workedMax)
    size = perPageBorne
  }

  /// An answer that was shorter than asked for.
  private struct Short {
    /// What was asked for.
    var window: Window
    /// How many elements came.
    var count: Int
    /// Whether it is certain that more follows.
    var hasMore: Bool
    /// How many of so many elements came in a row.
    var times = 1
    /// Its last element, where one can be used.
    var last: Identity?
    /// Whether a key or an element names its place, so that its rank is an estimate.
    var isNamed: Bool { window.isMarked && last != nil }
    /// Where it ends.
    var end: Int { window.firstRank + count }
  }

  /// Learns from an answer of `count` elements to a window, and from what it says of the end.
  /// Returns the size of the page it is, where the upstream serves fewer than asked for: two such
  /// answers in a row have the same number of elements, as pages from which some are hidden hardly
  /// have; three where no other size can be asked for, which would show it. Unless it is certain
  /// that more follows, they end at different ranks, and where these are estimates with other
  /// elements.
  package mutating func learn(
    count: Int, of window: Window, says: EndClaim, last element: Identity?, isSized: Bool = true
  ) -> Int? {
    noteKept(window, count: count)
    if let served, count > served || servedAnswers >= PageSize.servedAnswersMax {
      self.served = nil
      servedAnswers = 0
    }
    if served != nil { servedAnswers += 1 }
    guard count > 0, count < window.perPage, says != .end else {
      note(full: window, count: count)
      return nil
    }
    guard !noteOneSize(window, count: count) else { return count }
    let last = short
    var short = Short(window: window, count: count, hasMore: says == .more, last: element)
    if let last, last.count == count { short.times = last.times + 1 }
    self.short = short
    // A larger page shows that those of so many elements are none of one size.
    guard !hides, count >= hiding.largest else { return nil }
    guard let last, short.times >= (isSized || served == count ? 2 : 3) else { return nil }
    let isElsewhere =
      abs(last.end - short.end) > PageSize.driftMax && !(short.isNamed && last.last == element)
    guard short.hasMore || served == count || isElsewhere else { return nil }
    // A few are so many twice by what is hidden, where it is certain that more follows.
    guard last.window != window || says != .more || count >= PageSize.perPageMin else {
      return nil
    }
    served = count
    return count
  }

  /// Notes an answer, which may show that elements are hidden: see ``Hiding``. One that is
  /// suspected to be of another size is noted once it was found to be of its own.
  package mutating func noteHiding(_ page: Page, to window: Window, says: EndClaim) {
    hiding.note(page, to: window, says: says)
    if hides { served = nil }
  }

  /// Forgets where pages stood: they have another size than was said, and stood elsewhere.
  package mutating func forgetPlaces() { hiding.forgetPlaces() }

  /// Takes elements to be hidden, for a while.
  package mutating func believeHiding() {
    hiding.believe()
    served = nil
  }

  /// Notes an answer in the size that was asked for.
  private mutating func noteKept(_ window: Window, count: Int) {
    if count == window.perPage, count < full, count != unkept?.least { unkept = nil }
    trustedAnswers = max(0, trustedAnswers - 1)
    guard least > 1 else { return }
    leastAnswers += 1
    if leastAnswers >= PageSize.leastAnswersMax { (least, leastAnswers, unkept) = (1, 0, nil) }
  }

  /// Notes a window that was answered in another size than its own: by the second in turn, of
  /// another place or size, the upstream keeps only to sizes of so many elements and more. The same
  /// one is enough where larger windows come in that size, too.
  package mutating func noteUnkept(_ window: Window, least: Int) {
    defer { unkept = (window, least) }
    guard let unkept, unkept.window != window || served == least else { return }
    self.least = max(self.least, min(least, full))
    leastAnswers = 0
    if served ?? .max <= self.least { served = nil }
  }

  /// Takes pages to be of one size, where smaller ones come larger and the full one comes smaller:
  /// in the least that is kept to. Returns whether an answer shows that.
  private mutating func noteOneSize(_ window: Window, count: Int) -> Bool {
    guard least > 1, count == least, count < full, window.perPage == full else { return false }
    (served, least, leastAnswers) = (count, full, 0)
    return true
  }

  /// A window that may have come in a smaller size.
  private struct Suspicion {
    /// The window of that size, which shows it.
    var check: Window
    /// The suspected one, its page, and what that says of the end.
    var window: Window
    var page: Page
    var says: EndClaim
    /// What it began with, as far as the list may have moved since.
    var first: [Identity] {
      let apart = window.firstRank - check.firstRank
      return page.items.prefix(1 + min(apart / 4, PageSize.suspectMax)).map(\.item.id)
    }
  }

  /// Whether a window that was suspected so lately was found to have come in its own size.
  package var isTrusted: Bool { trustedAnswers > 0 && suspicion == nil }

  /// Suspects that a window came in the size of the page it is, unless one that was suspected so
  /// lately was found to have come in its own. `says` is what the page says of the end. Returns
  /// whether it does.
  package mutating func suspect(_ window: Window, of page: Page, says: EndClaim) -> Bool {
    guard trustedAnswers == 0, suspicion == nil else { return suspicion != nil }
    var own = window
    own.perPage = page.count
    suspicion = Suspicion(check: own, window: window, page: page, says: says)
    return true
  }

  /// Notes an answer to the window that shows whether the suspected one came in its size: then both
  /// begin with the same element, but for a few by which the list has moved. So sizes are cut to
  /// that one; or only some are kept to, where one came smaller that is not larger than that. An
  /// answer without a page shows nothing.
  package mutating func noteCheck(_ window: Window, _ page: Page?) {
    guard let suspicion, suspicion.check == window else { return }
    self.suspicion = nil
    guard let page else { return }
    let before = suspicion.first
    let now = page.items.prefix(before.count).map(\.item.id)
    guard now.first.map(before.contains) == true || before.first.map(now.contains) == true else {
      trustedAnswers = PageSize.servedAnswersMax
      noteHiding(suspicion.page, to: suspicion.window, says: suspicion.says)
      return
    }
    guard least > 1 || suspicion.window.perPage <= served ?? 0 else { return serve(window.perPage) }
    (least, leastAnswers, served) = (full, 0, nil)
  }

  /// Notes that the upstream refused a window. Returns whether it may have been for its size, so
  /// that another one is to be asked for: by the second in turn only the full one. Where that is
  /// refused too, it was not the size.
  package mutating func noteRefused(_ window: Window) -> Bool {
    guard window.perPage < full else {
      if unkept != nil, leastAnswers == 0 { (least, unkept) = (1, nil) }
      return false
    }
    // Further down it may be refused for its depth.
    guard least < full, window.isTop || unkept != nil, unkept?.window != window else {
      return false
    }
    noteUnkept(window, least: full)
    return true
  }

  /// Takes pages to be of a size, for a while: more followed on one of it.
  package mutating func serve(_ count: Int) {
    served = count
    servedAnswers = PageSize.servedAnswersMax - PageSize.servedAnswersMin
  }

  /// Notes a page that may be full. One that is larger than a short one says that this was short by
  /// chance. One that goes on below it says that pages are of its size, for a while: where they
  /// are numbered, no larger one begins where it is expected.
  private mutating func note(full window: Window, count: Int) {
    guard count == window.perPage, let last = short else { return }
    if count > last.count {
      short = nil
    } else if case .page = window.address, served == nil, window.endRank > last.end {
      serve(last.count)
    }
  }

  /// Notes an answer of `perPage` elements that came whole: 100, after a cut 50, after 8 answers
  /// 100 again; after another cut 50, and after 8 answers each 75 and 87. A size that is tried is
  /// proven by answers of more elements than the size before it.
  package mutating func noteWhole(of perPage: Int) {
    guard isTrial || size < full, !isTrial || perPage > perPageBorne else { return }
    worked += 1
    if isTrial, worked >= PageSize.workedMin {
      isTrial = false
      if size == full { patience = PageSize.workedMin }
    }
    guard !isTrial, size < full else { return }
    let between = min(perPageFailed, full) - size
    if patience > PageSize.workedMin, between / 2 > size / 8 {
      grow(to: size + between / 2, after: PageSize.workedMin)
    } else {
      grow(to: size * 2, after: patience)
    }
  }

  private mutating func grow(to perPage: Int, after answers: Int) {
    guard worked >= answers else { return }
    worked = 0
    perPageBorne = size
    size = min(full, perPage)
    if size >= perPageFailed { perPageFailed = .max }
    isTrial = true
  }
}
