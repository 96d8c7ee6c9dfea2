import Feed

/// Turns what was decided into a slice.
extension MergeReading {
  /// Parts of which more was read than is shown, and that lack elements in it: how many of these
  /// lie in what is shown is read again.
  func statements(for outcome: MergedOutcome) -> [PartRead] {
    guard !isUpwards, outcome.covers.lower != question.end else { return [] }
    return outcome.counted.compactMap { part in
      guard let said = progress[part].said, said.slice.omitted > 0,
        let covers = said.slice.covers,
        parts.roles[part].scale.lowestCut(covers.lower) < outcome.covers.lower
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
      items: [], covers: CutRange(upper: question.start, lower: question.start),
      endReason: .range, counted: progress.indices.filter { progress[$0].said != nil })
  }

  /// A slice as it was cut.
  func slice(_ outcome: MergedOutcome) -> Slice {
    var counted = outcome.counted.compactMap { progress[$0].said }
    // That a part has nothing above its hole is claimed too.
    for part in progress where (part.hole?.upper ?? .top) < outcome.covers.upper {
      if let silence = part.silence { counted.append(silence) }
    }
    var freshness = Freshness(worstOf: counted.map(\.slice.freshness), at: now)
    let isFailed = zip(progress, parts.roles).contains { $0.hasFailed && !$1.isOptional }
    if isFailed, freshness.state == .fresh { freshness.state = .stale }
    var (items, origins): ([Element], [ItemOrigin]) = ([], [])
    items.reserveCapacity(outcome.items.count)
    origins.reserveCapacity(outcome.items.count)
    for item in outcome.items {
      let role = parts.roles[item.part]
      var element = question.element(item)
      element.position = role.scale.position(element.position)
      let instant = Timestamp(milliseconds: item.instant)
      origins.append(ItemOrigin(part: role.name, at: instant, shared: role.shared))
      items.append(element)
    }
    var slice = Slice(
      of: items, covers: outcome.covers, hasMore: outcome.hasMore,
      hasPrevious: outcome.hasPrevious, endReason: outcome.endReason, freshness: freshness)
    slice.trail = trail(downTo: items.last.map { Cut.below($0.position) } ?? question.start)
    slice.origins = origins
    slice.missing = outcome.missing.sorted { $0.part < $1.part }
    slice.gap = outcome.gap
    let gap = outcome.gap?.parts ?? []
    for (part, role) in zip(progress, parts.roles) where gap.contains(role.name) {
      slice.gap?.partBits |= PartTrails.bit(role.place)
      slice.gapCount += part.said?.slice.gapCount ?? 0
      slice.isGapSunk = slice.isGapSunk || part.said?.slice.isGapSunk == true
    }
    slice.proof = counted.map(\.slice.proof).min() ?? .value
    slice.omitted = counted.reduce(0) { $0 + $1.slice.omitted }
    slice.total = total
    let known = progress.first { $0.said?.slice.epoch.isEmpty == false }
    slice.epoch = known?.said?.slice.epoch ?? ""
    if !slice.epoch.isEmpty {
      // Nothing above the range was shown.
      slice.numbers = PartNumbers(
        parts: parts.fingerprint, numbers: numbers(lacking: slice.missing),
        watermark: outcome.covers.upper.position.order)
    }
    slice.calls = calls
    slice.version = version
    return slice
  }

  /// The last numbers of the parts; none of those of which nothing is shown from the top on.
  private func numbers(lacking missing: [MissingPart]) -> [Int64] {
    zip(progress, parts.roles).map { part, role in
      let number = part.said?.slice.sequence ?? 0
      let isLeftOut = missing.contains { $0.part == role.name && $0.from == nil && $0.to == nil }
      return number == 0 && isLeftOut ? PartNumbers.absent : number
    }
  }

  /// The sum of the parts' sizes, where all are known and no item stands in two.
  private var total: Total? {
    var sum = Total(value: 0, asOf: Timestamp(milliseconds: .max))
    for (part, role) in zip(progress, parts.roles) {
      guard role.siblings.isEmpty, let own = part.said?.slice.total else { return nil }
      sum.value = Int(Int64(sum.value).clampedAdding(Int64(own.value)))
      sum.asOf = min(sum.asOf, own.asOf)
    }
    return sum
  }

  // MARK: What a walk remembers

  /// What the walk's cursor remembers, if it is of these parts.
  private var remembered: PartTrails? { parts.remembered(by: request.start) }

  /// Whether the gap of a part right below the cursor is passed.
  func isPassed(_ part: Int) -> Bool {
    (remembered?.passed ?? 0) & PartTrails.bit(parts.roles[part].place) != 0
  }

  /// What the walk remembers of one part; nil where a walk begins, or one goes upwards.
  func trail(of part: Int) -> Trail? {
    guard !isUpwards, let walk = request.start?.trail else { return nil }
    let role = parts.roles[part]
    var trail = Trail(begin: walk.begin.map { role.scale.key(at: $0) })
    if let kept = remembered?.trails[UInt8(role.place)] {
      (trail.known, trail.given) = (kept.known, kept.given)
    } else if (remembered?.dropped ?? 0) & PartTrails.bit(role.place) != 0
      || (walk.parts != nil && remembered == nil)
    {
      // What moved before is not known any more: nothing is left out.
      trail.known = .max
    }
    return trail
  }

  /// What a cursor remembers at the end of a slice.
  private func trail(downTo end: Cut) -> Trail {
    var walk = Trail()
    if !isUpwards {
      walk.begin =
        request.start?.trail.map(\.begin) ?? Trail(beginningAt: question.start, []).begin
    }
    var trails = remembered ?? PartTrails(parts: parts.allFingerprint)
    trails.passed = 0
    for (part, role) in zip(progress, parts.roles) {
      guard let said = part.said else { continue }
      trails.numbers[UInt8(role.place)] = said.slice.told
      trails.dropped &= ~PartTrails.bit(role.place)
      trails.trails[UInt8(role.place)] = nil
      if !said.slice.moves.isEmpty {
        let trail = said.slice.trail.reaching(role.scale.partCut(end), said.slice.moves)
        trails.trails[UInt8(role.place)] = Trail(known: trail.known, given: trail.given)
      }
      // Passed until the walk has come to what is known below.
      if let hole = part.hole, hole.lower < end { trails.passed |= PartTrails.bit(role.place) }
    }
    walk.parts = trails
    return walk
  }
}
