import Feed

/// Turns what was decided into a slice.
extension MergeReading {
  /// Parts of which more was read than is shown, and that lack elements in it: how many of these
  /// lie in what is shown is read again.
  func statements(for outcome: MergedOutcome) -> [PartRead] {
    guard !isUpwards, outcome.covers.lower != question.end else { return [] }
    return outcome.counted.compactMap { part in
      guard let slice = slices[part], slice.omitted > 0, let covers = slice.covers,
        parts.scales[part].lowestCut(covers.lower) < outcome.covers.lower
      else { return nil }
      let range = CutRange(upper: question.start, lower: outcome.covers.lower)
      var request = partRequest(of: part, range, limit: MergeReading.itemsMax)
      request.asksNothing = true
      request.wait = .zero
      return PartRead(part: part, request: request, purpose: .statement)
    }
  }

  /// What a range without places shows.
  var nothing: MergedOutcome {
    MergedOutcome(
      items: [], covers: CutRange(upper: question.start, lower: question.start), hasMore: false,
      hasPrevious: false, endReason: .range, missing: [], counted: Array(slices.keys))
  }

  /// A slice as it was cut.
  func slice(_ outcome: MergedOutcome) -> Slice {
    // That a part has nothing above its hole is claimed too.
    let silent = silences.filter { (holes[$0.key]?.upper ?? .top) < outcome.covers.upper }
    let counted = outcome.counted.compactMap { slices[$0] } + silent.values
    var freshness = Freshness(worstOf: counted.map(\.freshness), at: now)
    let isFailed = failed.contains { !question.parts[$0].isOptional }
    if isFailed, freshness.state == .fresh { freshness.state = .stale }
    var slice = Slice(
      of: outcome.items.map(\.element), covers: outcome.covers, hasMore: outcome.hasMore,
      hasPrevious: outcome.hasPrevious, endReason: outcome.endReason, freshness: freshness)
    slice.gap = outcome.gap
    slice.origins = outcome.items.map { item in
      ItemOrigin(
        part: question.parts[item.part].name,
        at: Timestamp(milliseconds: item.position.order), shared: parts.shared[item.part])
    }
    slice.missing = outcome.missing.sorted { $0.part < $1.part }
    for name in outcome.gap?.parts ?? [] {
      guard let part = parts.parts.firstIndex(where: { $0.name == name }) else { continue }
      slice.gap?.partBits |= PartTrails.bit(parts.places[part])
      slice.gapCount += slices[part]?.gapCount ?? 0
      slice.isGapSunk = slice.isGapSunk || slices[part]?.isGapSunk == true
    }
    slice.proof = counted.map(\.proof).min() ?? .value
    slice.omitted = counted.reduce(0) { $0 + $1.omitted }
    slice.total = total
    slice.trail = trail(down: outcome)
    slice.epoch = slices.values.first { !$0.epoch.isEmpty }?.epoch ?? ""
    if !slice.epoch.isEmpty { slice.numbers = numbers(upTo: outcome.covers.upper) }
    slice.calls = calls
    slice.version = version
    return slice
  }

  /// The numbers of all parts, of which nothing above a cut was shown.
  private func numbers(upTo cut: Cut) -> PartNumbers {
    PartNumbers(
      parts: parts.fingerprint,
      numbers: parts.parts.indices.map { slices[$0]?.sequence ?? 0 },
      watermark: cut.position.order)
  }

  /// The sum of the parts' sizes, where all are known and no item stands in two.
  private var total: Total? {
    guard parts.siblings.allSatisfy(\.isEmpty) else { return nil }
    let totals = parts.parts.indices.compactMap { slices[$0]?.total }
    guard totals.count == parts.parts.count, let asOf = totals.map(\.asOf).min() else { return nil }
    let sum = totals.reduce(Int64(0)) { $0.clampedAdding(Int64($1.value)) }
    return Total(value: Int(sum), asOf: asOf)
  }

  // MARK: What a walk remembers

  /// What the walk's cursor remembers, if it is of these parts.
  private var remembered: PartTrails? {
    guard let trails = request.start?.trail?.parts, trails.parts == parts.allFingerprint else {
      return nil
    }
    return trails
  }

  /// Whether the gap of a part right below the cursor is passed.
  func isPassed(_ part: Int) -> Bool {
    (remembered?.passed ?? 0) & PartTrails.bit(parts.places[part]) != 0
  }

  /// What the walk remembers of one part; nil where a walk begins, or one goes upwards.
  func trail(of part: Int) -> Trail? {
    guard !isUpwards, let walk = request.start?.trail else { return nil }
    let place = parts.places[part]
    var trail = Trail(begin: walk.begin.map { parts.scales[part].key(begunAt: $0) })
    if let kept = remembered?.trails[UInt8(place)] {
      (trail.known, trail.given) = (kept.known, kept.given)
    } else if (remembered?.dropped ?? 0) & PartTrails.bit(place) != 0
      || (walk.parts != nil && remembered == nil)
    {
      // What moved before is not known any more: nothing is left out.
      trail.known = .max
    }
    return trail
  }

  /// What a cursor at the end of a slice remembers.
  private func trail(down outcome: MergedOutcome) -> Trail {
    var walk = Trail()
    if !isUpwards {
      walk.begin =
        request.start?.trail.map(\.begin) ?? Trail(beginningAt: question.start, []).begin
    }
    let end = outcome.items.last.map { Cut.below($0.position) } ?? question.start
    var trails = remembered ?? PartTrails(parts: parts.allFingerprint)
    trails.passed = 0
    for (part, slice) in slices {
      let (place, scale) = (parts.places[part], parts.scales[part])
      trails.dropped &= ~PartTrails.bit(place)
      trails.trails[UInt8(place)] = nil
      if !slice.moves.isEmpty {
        let trail = slice.trail.reaching(scale.partCut(end), slice.moves)
        trails.trails[UInt8(place)] = Trail(known: trail.known, given: trail.given)
      }
      // Passed until the walk has come to what is known below.
      if let hole = holes[part], hole.lower < end { trails.passed |= PartTrails.bit(place) }
    }
    walk.parts = trails
    return walk
  }
}
