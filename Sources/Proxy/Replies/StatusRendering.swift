import Bytes
import Feed
import JSONBytes

/// How a feed stands, and what became of a gap, as the contract's JSON.
struct StatusRendering {
  /// The store's epoch.
  let epoch: String
  /// When the reply is made.
  let now: Timestamp
  /// The status of the shared store; nil without one.
  var sharing: SharingStatus?

  /// The body of `…:status` with how many listen; of `…:refresh` with the calls it waited for.
  func body(_ status: FeedStatus, listeners: Int, calls: Int?) -> [UInt8] {
    let name: JSONObject = [
      "feed": status.feed.name, "order": status.feed.pattern.order.rawValue,
    ]
    let state: JSONObject = [
      "items": status.count, "total": status.total.map(JSONObject.init),
      "seq": SequenceNumber(epoch: epoch, number: status.sequence, status.numbers).text,
      "freshness": status.freshness.map(JSONObject.init),
      "runs": status.runs.map { object($0, of: status) },
      "gaps": status.gaps.map { object($0, of: status.feed) },
      "joins": JSONObject(
        JoinProof.allCases.map { (name: $0.rawValue, value: status.joins[$0] ?? 0) }),
      "unusable": status.unusablePlaces, "budget": JSONObject(status.budget),
      "flight": status.flight.map(object), "policy": JSONObject(status.policy),
      "wall": status.wall, "listeners": listeners,
    ]
    let merged: JSONObject =
      status.parts.isEmpty
      ? [:]
      : [
        "watermark": status.watermark.map(RFC3339.exactText), "parts": status.parts.map(object),
      ]
    let replica = sharing.map { sharing -> JSONObject in
      [
        "replica": sharing.server, "number": sharing.numbers[status.feed.source] ?? 0,
        "lagSeconds": sharing.lagSeconds(at: now),
      ]
    }
    return (name.with("calls", calls) + state + merged + (replica ?? [:])).bytes(capacity: 1024)
  }

  /// The body of `…:fill`.
  func body(_ filling: Filling, of feed: FeedID) -> [UInt8] {
    let filled: JSONObject = [
      "filled": filling.rest == nil, "calls": filling.calls,
      "gap": filling.rest.map { object($0, of: feed) }, "budget": JSONObject(filling.budget),
    ]
    return filled.bytes()
  }

  private func object(_ run: FeedStatus.Run, of status: FeedStatus) -> JSONObject {
    func cursor(_ position: Position) -> String {
      Cursor.text(at: position, in: status.feed, lineage: status.lineage)
    }
    let proofs = run.proofs.map { proof -> JSONObject in
      ["items": proof.count, "provenAt": RFC3339.text(proof.provenAt)]
    }
    return [
      "items": run.count, "checkedAt": RFC3339.text(run.checkedAt),
      "provenAt": RFC3339.text(run.provenAt), "reachesEnd": run.reachesEnd, "rank": run.rank,
      "startCursor": cursor(run.first), "endCursor": cursor(run.range.lower.position),
      "proofs": proofs,
    ]
  }

  private func object(_ gap: FeedStatus.Gap, of feed: FeedID) -> JSONObject {
    [
      "id": gap.gap.name(in: feed), "estimatedItems": gap.estimatedCount, "sunk": gap.isSunk,
      "rank": gap.rank,
    ]
  }

  private func object(_ part: FeedStatus.Part) -> JSONObject {
    [
      "part": part.name, "feed": part.feed.name, "optional": part.isOptional,
      "counted": part.isCounted, "settledTo": part.settledTo.map(RFC3339.exactText),
      "provenTo": part.provenTo.map(RFC3339.exactText),
      "freshness": part.freshness.map(JSONObject.init), "gaps": part.gaps,
      "endReason": part.endReason?.rawValue,
      "retryAfterSeconds": part.retryAt.map { Rejection.seconds(until: $0, from: now) },
    ]
  }

  private func object(_ flight: Asked) -> JSONObject {
    [
      "purpose": "\(flight.purpose)", "page": flight.window.page,
      "perPage": flight.window.perPage,
    ]
  }
}

extension Slice.Gap {
  /// The text that names the gap to clients.
  ///
  /// It is bound to no lineage: one that is taken for another's gap only has that one filled.
  func name(in feed: FeedID) -> String {
    Cursor.text(at: upper.position, in: feed, lineage: 0)
  }

  /// The upper edge of the gap a client names; nil for what never was a gap's name.
  static func upper(
    named name: some StringProtocol, in feed: FeedID
  ) -> Cut? {
    do throws(Cursor.Failure) {
      return Cut(position: try Cursor.reading(name, in: feed).position)
    } catch {
      // What it was instead does not matter: no such gap is there.
      return nil
    }
  }
}

extension JSONObject {
  /// A feed's size.
  init(_ total: Total) {
    self = ["value": total.value, "asOf": RFC3339.text(total.asOf)]
  }

  /// How many calls are left.
  init(_ budget: Budget) {
    self = [
      "limit": budget.limit, "remaining": budget.remaining,
      "resetAt": budget.resetAt.map(RFC3339.text),
    ]
  }

  /// The rules of freshness.
  init(_ policy: Policy) {
    self = [
      "freshSeconds": policy.freshSeconds, "recheckSeconds": policy.recheckSeconds,
      "staleSeconds": policy.staleSeconds,
    ]
  }

  /// How old something is.
  init(_ freshness: Freshness) {
    self = [
      "state": freshness.state.rawValue, "checkedAt": RFC3339.text(freshness.checkedAt),
      "provenAt": RFC3339.text(freshness.provenAt),
    ]
  }
}
