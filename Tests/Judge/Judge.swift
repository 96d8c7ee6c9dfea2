import Synchronization

/// Holds every slice and every walk to what the contract promises, against what was really there.
///
/// It knows no type of the engine: what it gets are texts, numbers and times, so that a mistake in
/// the engine's own comparisons cannot hide from it. ``Truth`` is what was there, ``ShownSlice``
/// what a client got, ``Stretch`` a walk.
package final class Judge: Sendable {
  private struct State {
    var violation: String?
    /// Whether a process ended that knew more than it could write down.
    var hasForgotten = false
    /// The last change's number shown, by list.
    var sequences: [String: Int64] = [:]
    /// Where elements were last shown, and when, by list.
    var shown: [String: [String: (place: Place, at: Int64)]] = [:]
    /// Under which lineage places were last shown, by list: under another they are others.
    var lineages: [String: UInt64] = [:]
    /// When a shown element was first lacking where it had been.
    var vanished: [String: [String: Int64]] = [:]
    /// The newest version shown of an element, and when it was first shown, by realm and identity.
    var versions: [String: (version: Int, at: Int64)] = [:]
  }
  /// What was there.
  package let truth: any Truth
  private let report: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// A judge who knows what was there; `report` gets what is found wrong first.
  package init(_ truth: any Truth, report: @escaping @Sendable (String) -> Void) {
    (self.truth, self.report) = (truth, report)
  }

  /// What was found wrong first; nil while all is well.
  package var violation: String? { truth.violation ?? state.withLock(\.violation) }

  /// Notes that something is wrong.
  package func blame(_ violation: @autoclosure () -> String) {
    state.withLock { state in
      guard state.violation == nil else { return }
      let text = violation()
      state.violation = text
      report(text)
    }
  }

  /// Forgets what was shown: a process ended that could not write it down.
  package func forget() {
    state.withLock {
      $0 = State(violation: $0.violation, sequences: $0.sequences)
      $0.hasForgotten = true
    }
  }

  /// Whether where things stood may be forgotten.
  var mayForget: Bool { truth.terms.givesUp || state.withLock(\.hasForgotten) }

  // MARK: A slice by itself

  /// Notes a slice that a client got.
  package func note(_ slice: ShownSlice, for question: Question) {
    let list = question.list
    if slice.elements.count > question.limit { blame("\(list): more than the limit") }
    if slice.elements.isEmpty, slice.hasMore { blame("\(list): an empty slice says more") }
    if slice.hasMore == (slice.end != nil) { blame("\(list): hasMore against the end") }
    if slice.hasGap, !slice.hasMore { blame("\(list): a gap and no more") }
    if question.isFromTop, slice.hasPrevious { blame("\(list): something above the top") }
    let places = slice.elements.map(\.place)
    if zip(places, places.dropFirst()).contains(where: { $0 <= $1 }) {
      blame("\(list): order broken inside a slice")
    }
    if slice.provenAt > slice.checkedAt || slice.checkedAt > truth.now {
      blame("\(list): freshness of the future")
    }
    if slice.end == "upstreamLimit", !truth.mayBeLimited(list) {
      blame("\(list): a limit the upstream does not have")
    }
    // One server may not know yet what another has shown; a client that knows it gets it.
    guard truth.terms.servers == 1 else {
      if let known = question.known, slice.sequence < known {
        blame("\(list): sequence fell from \(known), which the client knows")
      }
      return
    }
    noteSequence(slice, of: list)
    notePlaces(slice, for: question)
    for element in slice.elements { noteVersion(of: element, for: question) }
  }

  private func noteSequence(_ slice: ShownSlice, of list: String) {
    let last = state.withLock { state -> Int64 in
      let last = state.sequences[list] ?? 0
      state.sequences[list] = max(last, slice.sequence)
      return last
    }
    // A feed of which nothing is written has no numbers yet.
    if slice.sequence < last, slice.sequence > 0 { blame("\(list): sequence fell from \(last)") }
  }

  /// What was shown, then lacking, and deleted upstream, is never shown again.
  private func notePlaces(_ slice: ShownSlice, for question: Question) {
    let (now, list) = (truth.now, question.list)
    let ids = Set(slice.elements.map(\.id))
    var back: String?
    // Where a moved one was shown may be where it was before.
    let wandering = truth.isByKey(list) ? truth.rekeyed() : truth.wanderers(of: list)
    state.withLock { state in
      if state.lineages.updateValue(slice.lineage, forKey: list) ?? slice.lineage != slice.lineage {
        state.shown[list] = nil
        state.vanished[list] = nil
      }
      for element in slice.elements {
        state.shown[list, default: [:]][element.id] = (element.place, now)
        guard let vanishedAt = state.vanished[list]?[element.id] else { continue }
        let leftAt = truth.presence(of: element.id, in: list)?.until
        if let leftAt, leftAt <= vanishedAt, question.askedAt.map({ vanishedAt < $0 }) ?? true {
          back = element.id
        }
        state.vanished[list]?[element.id] = nil
      }
      guard let first = slice.elements.first?.place, let last = slice.elements.last?.place else {
        return
      }
      for (id, shown) in state.shown[list] ?? [:]
      where shown.place < first && shown.place > last && !ids.contains(id)
        && !wandering.contains(id) && !slice.missing.contains(where: { $0.holds(shown.place) })
      {
        state.shown[list]?[id] = nil
        // One that moved since is only not there any more.
        guard truth.presence(of: id, in: list).map({ $0.since <= shown.at }) ?? true else {
          continue
        }
        state.vanished[list, default: [:]][id] = now
      }
    }
    if let back { blame("\(list): \(back) was gone and is back") }
  }

  /// No version older than one shown before; but where an answer may show what is there later
  /// than when it is sent for, one sent for later may show less. What was asked for before the
  /// newer version was shown may show the older.
  private func noteVersion(of element: ShownElement, for question: Question) {
    let list = question.list
    guard let version = element.version, let count = truth.versionCount(of: element.id) else {
      return blame("\(list): \(element.id) never was")
    }
    let key = "\(truth.realm(of: list)) \(element.id)"
    let now = truth.now
    let newest = state.withLock { state -> (version: Int, at: Int64)? in
      let newest = state.versions[key]
      if version > newest?.version ?? 0 { state.versions[key] = (version, now) }
      return newest
    }
    guard let newest, version < newest.version, version < count,
      question.askedAt.map({ newest.at < $0 }) ?? true
    else { return }
    if truth.terms.answersAtOnce || now - newest.at > 40_000 {
      blame("\(list): \(element.id) fell back from version \(newest.version)")
    }
  }
}
