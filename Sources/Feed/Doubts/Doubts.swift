/// What answers claim against what is known or promised of a feed, and is not believed yet.
///
/// One law holds for every claim: it is believed when so many answers in a row make it, the last so
/// long after the first, and all of them with nearly the same value. An answer that denies it makes
/// it start over, one that says nothing of it changes nothing. How many, how long and how near
/// stands in one table, ``Claim``. What is no fact but a nuisance is left alone for a while.
package struct Doubts: Hashable, Sendable {
  /// What became of a claim.
  package enum Verdict: Hashable, Sendable {
    /// No answer makes it.
    case unheard
    /// It is made, and not believed yet.
    case doubted
    /// It is believed, or what it is of begins to rest.
    case believed
  }

  /// What a claim is of, where a feed can have several of its kind.
  package enum Subject: Hashable, Sendable {
    /// The feed itself.
    case feed
    /// A word or a mark that names it.
    case word(String)
    /// Stands for the elements of an answer.
    case answer(Int)
    /// A place.
    case range(CutRange)
  }

  /// The answer that made a claim, where it is asked for again.
  package struct Answer: Hashable, Sendable {
    /// What was asked for, and when.
    package var window: Window
    var sentAt: Timestamp
    /// How many elements came, and the total that the answer gives.
    var count = 0
    var total: Int?
    /// Its last element.
    var last: Identity?
    /// Whether the answer contradicts itself.
    var isContested = false
    /// Below which cut it is asked for again.
    var below: Cut?

    /// The rank at which it ends.
    var end: Int { window.firstRank + count }

    /// Whether both are of one place and size.
    func isSame(as other: Answer) -> Bool {
      window.firstRank == other.window.firstRank && window.perPage == other.window.perPage
        && count == other.count
    }
  }

  /// A claim that was made and not denied since.
  struct Entry: Hashable {
    let name: String
    var subject = Subject.feed
    var isStored = true
    /// When it was made first, what it said then, as a number, and by which answer.
    var since: Timestamp
    var value = 0
    var answer: Answer?
    /// Answers in a row that made it, up to those that it needs.
    var answers = 0
    /// Times in a row that what it is of was left alone, and until when.
    var rests = 0
    var restsUntil: Timestamp?
    /// How often its answer was asked for again.
    var asks = 0

    /// The place that it is of.
    var range: CutRange? { if case .range(let range) = subject { range } else { nil } }

    /// Whether a value is that of the claim, but for the drift.
    func isNear(_ other: Int, by claim: Claim) -> Bool {
      let (difference, overflows) = value.subtractingReportingOverflow(other)
      return !overflows && difference.magnitude <= claim.drift
    }

    func verdict(by claim: Claim, at now: Timestamp) -> Verdict {
      answers >= claim.answers && now - since >= claim.apart ? .believed : .doubted
    }
  }

  /// In the order in which they were made.
  var entries: [Entry] = []

  /// No claim was made yet.
  package init() {}

  /// Takes in what an answer says of a claim: makes it, denies it, or says nothing of it where
  /// `isMade` is nil.
  @discardableResult
  package mutating func hear(
    _ claim: Claim, _ isMade: Bool? = true, of subject: Subject = .feed, at now: Timestamp,
    value: Int = 0, by answer: Answer? = nil
  ) -> Verdict {
    let index = index(of: claim, subject)
    guard let isMade else {
      return index.map { entries[$0].verdict(by: claim, at: now) } ?? .unheard
    }
    guard isMade else {
      clear(claim, of: subject)
      return .unheard
    }
    var entry =
      index.map { entries[$0] }
      ?? Entry(name: claim.name, subject: subject, isStored: claim.isStored, since: now)
    if !entry.isNear(value, by: claim) { entry.answers = 0 }
    if entry.answers == 0 { (entry.since, entry.value, entry.answer) = (now, value, answer) }
    entry.answers = min(entry.answers + 1, claim.answers)
    let verdict = entry.verdict(by: claim, at: now)
    if verdict == .believed, let rest = claim.rest {
      (entry.answers, entry.rests) = (0, entry.rests + 1)
      entry.restsUntil = now + rest.duration(entry.rests)
    }
    keep(entry, of: claim, at: index)
    return verdict
  }

  /// Forgets a claim: it was denied, or what it leads to was done.
  package mutating func clear(_ claim: Claim, of subject: Subject = .feed) {
    if let index = index(of: claim, subject) { entries.remove(at: index) }
  }

  /// Until when what a claim is of is left alone; nil where it is not.
  package func restsUntil(_ claim: Claim, at now: Timestamp) -> Timestamp? {
    // A clock that was set wrong may have given one that is further away.
    guard let until = self[claim]?.restsUntil, let rest = claim.rest, until > now,
      until <= now + rest.max
    else { return nil }
    return until
  }

  /// Takes a claim on the feed for believed, with this value, or denied where that is nil.
  package mutating func keep(_ value: Int?, as claim: Claim) {
    guard self[claim]?.value != value else { return }
    clear(claim)
    guard let value else { return }
    var entry = Entry(name: claim.name, since: Timestamp(milliseconds: 0))
    (entry.value, entry.answers) = (value, claim.answers)
    keep(entry, of: claim, at: nil)
  }

  /// What a claim on the feed says; nil where no answer makes it.
  package func value(of claim: Claim) -> Int? { self[claim]?.value }

  /// How the upstream pages, in the sizes that its answers showed it to keep to.
  package func kept(_ paging: Paging) -> Paging {
    paging.keeping(to: value(of: .least) ?? 1, served: value(of: .served))
  }

  /// Whether an answer makes a claim on the feed.
  package func makes(_ claim: Claim) -> Bool { self[claim] != nil }

  /// Whether what is stored of it is what is stored of others.
  package func isStored(as others: Doubts) -> Bool {
    entries.filter(\.isStored) == others.entries.filter(\.isStored)
  }

  /// Keeps what only this process knows: claims that are not stored, and how places are asked for
  /// again.
  package mutating func keep(own: Doubts) {
    for index in entries.indices where entries[index].answer == nil {
      let (name, subject) = (entries[index].name, entries[index].subject)
      entries[index].answer =
        own.entries.first { $0.name == name && $0.subject == subject }?.answer
    }
    entries += own.entries.filter { !$0.isStored }
  }

  subscript(_ claim: Claim, _ subject: Subject = .feed) -> Entry? {
    index(of: claim, subject).map { entries[$0] }
  }

  private func index(of claim: Claim, _ subject: Subject) -> Int? {
    entries.firstIndex { $0.name == claim.name && $0.subject == subject }
  }

  /// Keeps an entry in its place, or as the last one; then the first one of too many goes.
  private mutating func keep(_ entry: Entry, of claim: Claim, at index: Int?) {
    if let index {
      entries[index] = entry
      return
    }
    let first = entries.firstIndex { $0.name == claim.name }
    if let first, entries.count(where: { $0.name == claim.name }) >= claim.entriesMax {
      entries.remove(at: first)
    }
    entries.append(entry)
  }
}
