package import Feed

/// What changed in a merged feed: what took a number in a part, then what the watermark has passed.
extension MergedSource {
  /// Nil: whether the watermark has moved takes more to find out.
  package func unchanged(_ feed: FeedID, since number: SequenceNumber) -> Changes? { nil }

  /// First what has changed below the number's watermark, part by part, as it is now; then what
  /// stands between that and the present watermark, oldest first, whatever its number: what one
  /// part knew above it was not given. What a part has merely learnt is not among it.
  package func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) async throws(ReadError) -> ChangeReading {
    let parts = try parts(of: feed)
    let now = try await present(feed)
    guard let since = number.parts, since.parts == parts.fingerprint,
      since.numbers.count == parts.parts.count
    else { return .expired(now) }
    var (changes, reached, hasMore) = ([Change](), since, false)
    for (index, part) in parts.parts.enumerated() where !hasMore {
      guard since.numbers[index] != PartNumbers.absent else {
        // What it has was never given, and takes no numbers.
        guard now.parts?.numbers[index] == PartNumbers.absent else { return .expired(now) }
        continue
      }
      let left = limit - changes.count
      let reading = try await part.source.changes(
        of: part.feed,
        after: SequenceNumber(epoch: number.epoch, number: since.numbers[index]),
        limit: max(1, left), learned: false)
      guard case .changes(let own) = reading else { return .expired(now) }
      guard left > 0 else {
        hasMore = !own.changes.isEmpty
        continue
      }
      for change in own.changes {
        reached.numbers[index] = change.number
        guard var shown = await merged(change, of: index, in: parts, below: since.watermark)
        else { continue }
        shown.reached = reached
        changes.append(shown)
      }
      reached.numbers[index] = own.next.number
      hasMore = own.hasMore
    }
    if !hasMore, let watermark = now.parts?.watermark, watermark > since.watermark {
      let left = limit - changes.count
      let (passed, isMore) = await passed(
        feed, from: since.watermark, to: watermark, limit: max(1, left), &reached)
      if left > 0 || passed.isEmpty {
        (changes, hasMore) = (changes + passed, isMore)
      } else {
        (hasMore, reached.watermark) = (true, since.watermark)
      }
    }
    return .changes(
      Changes(
        changes: changes, next: SequenceNumber(epoch: number.epoch, number: 0, reached),
        hasMore: hasMore))
  }

  /// The present numbers, and up to where all parts were looked at; a part of which nothing is
  /// known yet has no number, and the watermark waits for it.
  private func present(_ feed: FeedID) async throws(ReadError) -> SequenceNumber {
    do throws(ReadError) {
      return try await knownTop(of: feed).number
    } catch {
      if case .store = error.cause { throw error }
      return SequenceNumber(epoch: "", number: 0)
    }
  }

  /// A part's change as it is one of the whole: the item at the highest place that any part of its
  /// realm stores; nil where it was not given and is not to be yet.
  private func merged(
    _ change: Change, of part: Int, in parts: MergedParts, below watermark: Int64
  ) async -> Change? {
    var places: [(part: Int, position: Position, bytes: [UInt8])] = []
    if case .upsert(let position, let bytes) = change.event {
      places.append((part, parts.roles[part].scale.position(position), bytes))
    }
    for other in parts.roles[part].siblings {
      let request = MergeReading.place(of: change.id, in: parts.parts[other].feed)
      // What is not known there stands nowhere else.
      let slice = try? await parts.parts[other].source.slice(request)
      guard let item = slice?.items.first else { continue }
      places.append((other, parts.roles[other].scale.position(item.position), item.bytes))
    }
    // In one place it is the first part's by name.
    let best = places.max { ($0.position, $1.part) < ($1.position, $0.part) }
    var merged = change
    merged.origin = ItemOrigin(
      part: parts.parts[best?.part ?? part].name,
      at: Timestamp(milliseconds: best?.position.order ?? 0), shared: parts.roles[part].shared)
    guard let best else { return merged }
    if best.position.order < watermark {
      merged.event = .upsert(best.position, bytes: best.bytes)
      return merged
    }
    // Above the watermark it is given once that has passed it.
    guard change.hasMoved || best.part != part else { return nil }
    (merged.event, merged.hasMoved) = (.remove(bytes: nil), false)
    return merged
  }

  /// What stands between two watermarks, oldest first; all of one instant together.
  private func passed(
    _ feed: FeedID, from old: Int64, to new: Int64, limit: Int, _ reached: inout PartNumbers
  ) async -> (changes: [Change], hasMore: Bool) {
    var request = SliceRequest(feed: feed, limit: limit, wait: .zero)
    request.start = .cut(.below(key: new))
    request.end = .cut(.below(key: old))
    (request.takesLast, request.asksNothing) = (true, true)
    while true {
      // What cannot be read now is given by a later call: the watermark stays where it is.
      guard let slice = try? await slice(request) else {
        return ([], false)
      }
      var items = Array(zip(slice.items, slice.origins))
      var end = min(new, slice.covers?.upper.position.order ?? old)
      if slice.hasPrevious, let newest = items.first?.0.position.order {
        let whole = items.filter { $0.0.position.order < newest }
        let isStopped = slice.items.count < request.limit
        if whole.isEmpty, !isStopped, request.limit < MergeReading.itemsMax {
          request.limit *= 2
          continue
        }
        if !whole.isEmpty, !isStopped { (items, end) = (whole, newest) }
      }
      var changes: [Change] = []
      for (index, (element, origin)) in items.enumerated().reversed() {
        let isLast = index == 0 || items[index - 1].0.position.order > element.position.order
        if isLast { reached.watermark = max(reached.watermark, element.position.order + 1) }
        var change = Change(
          number: 0, id: element.id, event: .upsert(element.position, bytes: element.bytes))
        (change.origin, change.reached) = (origin, reached)
        changes.append(change)
      }
      reached.watermark = max(reached.watermark, end)
      return (changes, end < new && slice.hasPrevious)
    }
  }
}
