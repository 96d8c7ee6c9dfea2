extension PagedList where Item.ID: Decodable {
  /// Learns what changed since the list was loaded: edits and removals, wherever they are.
  ///
  /// New items are not put in, since only a refresh gives their place; ``hasNews`` says that there
  /// are some above. Where the server does not know any more what changed, the list begins again.
  /// Calls at the same time share one catching up, which goes on when one of them is cancelled.
  ///
  /// - Throws: `TsugiError`, `CancellationError`; what came before is applied.
  public func catchUp() async throws {
    let task =
      catchingUp
      ?? Task { [weak self] in
        defer { self?.catchingUp = nil }
        try await self?.readChanges()
      }
    catchingUp = task
    guard let result = await task.resultUnlessCancelled else { throw CancellationError() }
    try result.get()
  }

  /// Keeps the list up with its feed until the task is cancelled: edits and removals are applied as
  /// they happen, and ``hasNews`` says that there are new items.
  ///
  /// It listens from what was loaded on: a list that is not loaded yet, or that must begin again,
  /// is waited for. Events have an item's id unless the feed names `fields`; what the list shows of
  /// it is then caught up with. Whatever may pass is tried again for as long as it takes.
  ///
  /// - Throws: `TsugiError`, or at the latest `CancellationError`.
  public func follow() async throws {
    var resets = 0
    while true {
      await wait { $0.isLoaded && !$0.needsReset }
      try Task.checkCancellation()
      let outcome = try await listen()
      guard outcome.goesOn else { return }
      // Who knows no number, whatever was loaded, as two servers that answer by turns, is not
      // asked without end.
      resets = outcome.hasTold ? 1 : resets + 1
      if resets > 1 { try await feed.client.pause(afterFailures: resets - 1) }
    }
  }

  /// Listens until the list must begin again, or shows another feed.
  private func listen() async throws -> Listened {
    let (feed, since) = (feed, state.since)
    let number = (listening.keys.max() ?? 0) + 1
    let task = Task { try await applyEvents(of: feed, since: since) }
    listening[number] = task
    defer { listening[number] = nil }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch is CancellationError where !Task.isCancelled {
      // Another feed is shown: that is listened to next.
      return Listened(goesOn: true, hasTold: true)
    }
  }

  /// Applies events until the list must begin again.
  private func applyEvents(
    of feed: Feed<Item>, since: SequenceNumber?
  ) async throws -> Listened {
    var hasTold = false
    for try await change in feed.events(since: since) {
      // One that was at hand when another feed was shown is not this one's.
      try Task.checkCancellation()
      // Sent by an earlier number: the list asks from its new one on.
      guard !state.needsReset else { return Listened(goesOn: true, hasTold: hasTold) }
      switch change.operation {
      case .reset:
        send(.changed([change], next: nil))
        return Listened(goesOn: true, hasTold: hasTold)
      case _ where isKnown(change): continue
      case .upsert where change.item == nil && isStale(change): try await catchUpPatiently()
      case .upsert, .remove, .delete:
        // New items are announced; what else came is looked up when there is time for it.
        let waits = state.hasNews && !change.hasMoved
        send(.changed([change], next: change.seq, goesOn: waits))
      }
      hasTold = true
    }
    return Listened(goesOn: false, hasTold: hasTold)
  }

  /// Whether a change was applied already, by another way.
  private func isKnown(_ change: FeedChange<Item>) -> Bool {
    guard let seq = change.seq, let since = state.since else { return false }
    return seq.isCovered(by: since)
  }

  /// Whether what the list shows of an item was read before it changed.
  private func isStale(_ change: FeedChange<Item>) -> Bool {
    change.id.map(state.holds) == true && !state.isCovered(change)
  }

  private func catchUpPatiently() async throws {
    var failures = 0
    while true {
      do {
        return try await catchUp()
      } catch let error as TsugiError {
        failures += 1
        try await feed.client.pause(afterFailures: failures, error)
      }
    }
  }

  private func readChanges() async throws {
    var fruitless = 0
    while let since = state.since {
      do {
        let asked = hub.begin()
        defer { hub.end(asked) }
        let page = try await feed.changes(since: since)
        // The list may have begun again meanwhile; then these changes are old ones.
        guard state.since == since else { continue }
        send(.changed(page.changes, next: page.nextSince, goesOn: page.hasMore), to: asked)
        if !page.hasMore || state.needsReset { return }
        // More is said to come, and does not.
        fruitless = page.changes.isEmpty ? fruitless + 1 : 0
        if fruitless >= PagedState<Item>.fruitlessMax { throw TsugiError.standstill }
      } catch let error as TsugiError where error.code == .sinceExpired {
        return send(.changesExpired)
      }
    }
  }
}

/// A list whose changes can be read.
@MainActor protocol CatchesUp {
  /// Has the top looked at, and asks for the changes since a number.
  func open(_ number: Int, since: SequenceNumber)
  /// Catches up, before what is looked up is put into the list.
  func catchUpForLookup()
}

extension PagedList: CatchesUp where Item.ID: Decodable {
  func open(_ number: Int, since: SequenceNumber) {
    answer(number) { feed in
      .caughtUp(number, try await feed.changes(since: since, refresh: true))
    }
  }

  func catchUpForLookup() {
    Task { [weak self] in
      // Whatever went wrong, what is looked up is announced then.
      do { try await self?.catchUp() } catch { self?.send(.catchUpFailed) }
    }
  }

  /// The app is in front again: the list catches up with what changed, or tries again what failed.
  /// It asks nothing within ``PagedOptions/catchUpAfter`` of the last answer.
  public func cameBack() async {
    guard isLoaded else { return retry() }
    if let sinceAnswer, sinceAnswer() < state.options.catchUpAfter { return }
    do {
      try await catchUp()
    } catch {
      // What went wrong is seen where the reader loads or pulls next.
      retry()
    }
  }
}

extension TsugiError {
  /// Changes of items whose ids cannot be read.
  static let unread = TsugiError.status(StatusFailure(status: 400))
}

/// What came of listening to events.
struct Listened: Sendable {
  /// Whether there are any, ever.
  var goesOn: Bool
  /// Whether one sent something.
  var hasTold: Bool
}

extension Task where Success: Sendable {
  /// What came of it; nil where the caller is cancelled before it is there.
  fileprivate var resultUnlessCancelled: Result<Success, Failure>? {
    get async {
      let (results, result) = AsyncStream<Result<Success, Failure>>.makeStream()
      _ = Task<Void, Never> {
        result.yield(await self.result)
        result.finish()
      }
      for await result in results { return result }
      return nil
    }
  }
}
