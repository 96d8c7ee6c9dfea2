import HTTP

extension Service {
  /// Answers with the page; off the loop, since it is made when it is first asked for.
  func answerPage(
    _ page: @escaping @Sendable () -> ExplorerPage, _ context: RequestContext,
    _ responder: HeldResponder
  ) {
    Task(executorPreference: executor) { [self] in
      responder.send(finished(Response(page(), for: context), for: context))
    }
  }

  /// Answers with the document; off the loop, since it is large enough to be compressed there.
  func answerDocument(_ context: RequestContext, _ responder: HeldResponder) {
    Task(executorPreference: executor) { [self] in
      let response = state.encoded(
        Response(document, isPrivate: !gate.apiKeys.isEmpty, for: context), for: context)
      responder.send(finished(response, for: context))
    }
  }
}

extension Response {
  /// The answer that carries the document, or 304.
  fileprivate init(_ document: OpenAPIDocument, isPrivate: Bool, for context: RequestContext) {
    guard !context.failsIfMatch else {
      self.init(Rejection.preconditionFailed, requestID: context.requestID)
      return
    }
    let isKnown = context.matches(document.entityTag)
    self.init(status: isKnown ? 304 : 200, body: isKnown ? [] : document.body)
    if !isKnown { fields.append("Content-Type", "application/json") }
    fields.append("ETag", document.entityTag)
    fields.append("Cache-Control", isPrivate ? "private, no-cache" : "no-cache")
    fields.append("Vary", "Accept-Encoding")
  }
}
