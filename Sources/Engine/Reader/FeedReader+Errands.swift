package import Feed

/// Errands: calls for what is in no feed, by the same desk.
extension FeedReader: ErrandRunner {
  /// The most errands that wait or are in progress at the same time.
  static let errandsMax = 4_096

  /// See ``ErrandRunner``. It ends when the call has, however long that takes: who asked bounds
  /// the wait.
  package func run(_ errand: Errand, permit: OpeningPermit?) async throws(ReadError) {
    guard errands.count < FeedReader.errandsMax else {
      throw .unavailable(retryAt: time.now + .seconds(1))
    }
    lastErrand += 1
    let key = FlightKey.errand(target: errand.target, number: lastErrand)
    let now = time.now
    let call = CallDesk.Call(
      key: key, ask: Ask(.top(1), for: .raw),
      isOpening: errand.isOpening && !desk.hasOpened(key, at: now))
    if let refusal = desk.refusal(of: call, permit, at: now) { throw noted(refusal) }
    errands[key] = errand
    board(call)
    let result: FlightResult = await withCheckedContinuation { waiter in
      if desk.flights[key] == nil {
        waiter.resume(returning: lastEnd?.key == key ? lastEnd?.result ?? .moved : .moved)
      } else {
        waiters[desk.wait(for: key)] = waiter
      }
    }
    errands[key] = nil
    if case .failed(let error) = result { throw error }
  }

  /// Does an errand whose turn has come. Returns what it ended with.
  func fly(errand key: FlightKey, _ flight: Flight) async -> FlightResult {
    guard let errand = errands[key] else { return .failed(.timedOut) }
    let answer = await errand.run()
    learn(answer, key, flight, count: nil)
    switch answer.result {
    case .success:
      desk.noteGood(key)
      return .landed(nil)
    case .failure(let error):
      return fail(error, to: nil, key, at: answer.receivedAt)
    }
  }
}
