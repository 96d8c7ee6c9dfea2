import HTTP

extension Service {
  /// Logs a reply that is about to be sent.
  func log(_ response: Response, for context: RequestContext) {
    guard let log = state.accessLog else { return }
    let hasBody = context.method != .head && ![204, 304].contains(response.status.code)
    log(
      AnsweredRequest(
        client: context.client.peer, method: context.method.rawValue, path: context.path,
        route: context.route.rawValue,
        status: response.status.code, bytes: hasBody ? response.body.count : 0,
        duration: context.arrivedAt.duration(to: .now), requestID: context.requestID))
  }
}
