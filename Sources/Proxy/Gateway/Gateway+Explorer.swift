import Feed
import HTTP
import Wire

/// The page, what only an operator gets, and what only a demo has.
extension Gateway {
  /// What is to be done for one of these routes; what is switched off is not there.
  func explorerWork(
    _ route: Route, _ request: Request
  ) throws(Rejection) -> Work {
    switch route {
    case .explorer:
      guard let page = service.page else { throw .nothingHere }
      return .page(page)
    case .demo:
      guard let demo = service.demo else { throw .nothingHere }
      return .reply(demo(request))
    default:
      guard service.tellsOperator else { throw .nothingHere }
      return .list(try list(route, request))
    }
  }

  /// What an operator asks for.
  private func list(
    _ route: Route, _ request: Request
  ) throws(Rejection) -> @Sendable (Service) async throws(Rejection) -> [UInt8] {
    var items = try QueryItems(request.query)
    switch route {
    case .calls(let source):
      let since = try items.take("since").map { value throws(Rejection) in
        guard let number = Int(String(decoding: value, as: UTF8.self)), number >= 0 else {
          throw .parameter("since", "since is the number of a call: 0 for the first remembered.")
        }
        return number
      }
      let limit = try SliceQuery.limit(items.take("limit"), unless: SliceRequest.limitMax)
      try items.requireEmpty()
      return { service throws(Rejection) in
        service.lastCalls(of: source, after: since ?? 0, limit: limit)
      }
    case .storedFeeds(let source):
      let limit = try SliceQuery.limit(items.take("limit"), unless: 50)
      let name = items.take("startAfter").map { String(decoding: $0, as: UTF8.self) }
      try items.requireEmpty()
      return { service throws(Rejection) in
        try await service.storedFeeds(of: source, after: name, limit: limit)
      }
    default:
      try items.requireEmpty()
      return { service throws(Rejection) in await service.serverStatus() }
    }
  }
}
