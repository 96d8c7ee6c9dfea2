import HTTP

extension Service {
  /// Has `body` wait off the loop, as one of the requests that may wait for the upstream at
  /// once; refuses one more. What it gives sends the answer, when the place is free again: a client
  /// that has its answer may ask the next.
  func waitAside(
    _ context: RequestContext, _ held: HeldResponder,
    _ body: @escaping @Sendable (HeldResponder) async -> @Sendable () async -> Void
  ) {
    guard state.beginWaiting() else {
      let response = Response(.tooManyWaiting, for: context)
      return held.send(finished(response, for: context))
    }
    Task(executorPreference: executor) { [state = state] in
      let reply = await body(held)
      state.endWaiting()
      await reply()
    }
  }
}
