import Bytes
import Feed
import JSONBytes

/// How a feed stands, and what became of a gap, as the contract's JSON.
struct StatusRendering {
  /// The store's epoch.
  let epoch: String
  /// How what several servers share stands, as seen at an instant; nil where nobody shares.
  var sharing: (status: SharingStatus, at: Timestamp)?

  /// The body of `…:status`; of `…:refresh` where the calls it waited for are told.
  func body(_ status: FeedStatus, calls: Int? = nil) -> [UInt8] {
    var json = JSONWriter(capacity: 1024)
    json.append(raw: "{\"feed\":")
    json.append(status.feed.name)
    json.appendName("order")
    json.append(status.feed.pattern.order.rawValue)
    if let calls {
      json.appendName("calls")
      json.append(calls)
    }
    json.appendName("items")
    json.append(status.runs.reduce(0) { $0 + $1.count })
    json.appendName("total")
    json.append(status.total)
    json.appendName("seq")
    json.append(SequenceNumber(epoch: epoch, number: status.sequence))
    json.appendName("freshness")
    json.append(status.freshness)
    json.appendName("runs")
    json.appendList(status.runs) { append($1, of: status, to: &$0) }
    json.appendName("gaps")
    json.appendList(status.gaps) { append($1, of: status.feed, to: &$0) }
    json.appendName("joins")
    append(status.joins, to: &json)
    json.appendName("unusable")
    json.append(status.unusablePlaces)
    json.appendName("budget")
    json.append(status.budget)
    json.appendName("flight")
    append(status.flight, to: &json)
    json.appendName("policy")
    json.append(status.policy)
    json.appendName("wall")
    json.append(status.wall)
    json.appendName("listeners")
    json.append(status.listeners)
    if let (sharing, now) = sharing {
      json.appendName("replica")
      json.append(sharing.server)
      json.appendName("number")
      json.append(sharing.numbers[status.feed.source] ?? 0)
      json.appendName("lagSeconds")
      json.append(sharing.lagSeconds(at: now))
    }
    json.append(raw: "}")
    return json.bytes
  }

  /// The body of `…:fill`.
  func body(_ filling: Filling, of feed: FeedID) -> [UInt8] {
    var json = JSONWriter()
    json.append(raw: "{\"filled\":")
    json.append(filling.rest == nil)
    json.appendName("calls")
    json.append(filling.calls)
    json.appendName("gap")
    if let rest = filling.rest {
      append(rest, of: feed, to: &json)
    } else {
      json.append(raw: "null")
    }
    json.appendName("budget")
    json.append(filling.budget)
    json.append(raw: "}")
    return json.bytes
  }

  private func append(
    _ run: FeedStatus.Run, of status: FeedStatus, to json: inout JSONWriter
  ) {
    func cursor(_ position: Position) -> String {
      Cursor.text(at: position, in: status.feed, lineage: status.lineage)
    }
    json.append(raw: "{\"items\":")
    json.append(run.count)
    json.appendName("checkedAt")
    json.append(run.checkedAt)
    json.appendName("provenAt")
    json.append(run.provenAt)
    json.appendName("reachesEnd")
    json.append(run.reachesEnd)
    json.appendName("rank")
    json.append(run.rank)
    json.appendName("startCursor")
    json.append(cursor(run.first))
    json.appendName("endCursor")
    json.append(cursor(run.range.lower.position))
    json.appendName("proofs")
    json.appendList(run.proofs) { json, proof in
      json.append(raw: "{\"items\":")
      json.append(proof.count)
      json.appendName("provenAt")
      json.append(proof.provenAt)
      json.append(raw: "}")
    }
    json.append(raw: "}")
  }

  private func append(_ joins: [JoinProof: Int], to json: inout JSONWriter) {
    json.append(raw: "{")
    for (index, proof) in JoinProof.allCases.enumerated() {
      if index > 0 { json.append(raw: ",") }
      json.append(proof.rawValue)
      json.append(raw: ":")
      json.append(joins[proof] ?? 0)
    }
    json.append(raw: "}")
  }

  private func append(_ gap: FeedStatus.Gap, of feed: FeedID, to json: inout JSONWriter) {
    json.append(raw: "{\"id\":")
    json.append(gap.gap.name(in: feed))
    json.appendName("estimatedItems")
    json.append(gap.estimatedCount)
    json.appendName("sunk")
    json.append(gap.isSunk)
    json.appendName("rank")
    json.append(gap.rank)
    json.append(raw: "}")
  }

  private func append(_ flight: Asked?, to json: inout JSONWriter) {
    guard let flight else { return json.append(raw: "null") }
    json.append(raw: "{\"purpose\":")
    json.append("\(flight.purpose)")
    json.appendName("page")
    json.append(flight.window.page)
    json.appendName("perPage")
    json.append(flight.window.perPage)
    json.append(raw: "}")
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

extension JSONWriter {
  /// Appends a feed's size, or `null`.
  mutating func append(_ total: Total?) {
    guard let total else { return append(raw: "null") }
    append(raw: "{\"value\":")
    append(total.value)
    appendName("asOf")
    append(total.asOf)
    append(raw: "}")
  }

  /// Appends a whole number, or `null`.
  mutating func append(_ number: Int?) {
    guard let number else { return append(raw: "null") }
    append(number)
  }

  /// Appends how many calls are left.
  mutating func append(_ budget: Budget) {
    append(raw: "{\"limit\":")
    append(budget.limit)
    appendName("remaining")
    append(budget.remaining)
    appendName("resetAt")
    append(budget.resetAt.map(RFC3339.text))
    append(raw: "}")
  }

  /// Appends the rules of freshness.
  mutating func append(_ policy: Policy) {
    append(raw: "{\"freshSeconds\":")
    append(policy.freshSeconds)
    appendName("recheckSeconds")
    append(policy.recheckSeconds)
    appendName("staleSeconds")
    append(policy.staleSeconds)
    append(raw: "}")
  }

  /// Appends how old something is, or `null`.
  mutating func append(_ freshness: Freshness?) {
    guard let freshness else { return append(raw: "null") }
    append(raw: "{\"state\":")
    append(freshness.state.rawValue)
    appendName("checkedAt")
    append(freshness.checkedAt)
    appendName("provenAt")
    append(freshness.provenAt)
    append(raw: "}")
  }
}
