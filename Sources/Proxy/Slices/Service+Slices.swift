import Feed
import HTTP
import Logging
import Wire

extension Service {
  /// The reply that carries a slice, its items already cut.
  func response(_ slice: Slice, _ asked: SliceCall) -> Response {
    let reply = replyPolicy(of: asked.source)
    let isRefresh = asked.request.refreshes
    return switch asked.form {
    case .envelope(let query):
      Response(
        slice, query, isRefresh: isRefresh, isShared: asked.isShared, for: asked.context, by: reply)
    case .page(let page):
      Response(
        slice, page, isRefresh: isRefresh, isShared: asked.isShared, for: asked.context, by: reply)
    }
  }

  /// The reply to a request that got no slice.
  func response(_ error: ReadError, _ asked: SliceCall) -> Response {
    // The follower reports once that the shared store cannot be reached.
    if case .store(let cause) = error, cause.isLocal {
      logger.error("a slice could not be read", metadata: cause.logged)
    }
    var subject = Rejection.Subject()
    if case .envelope(let query) = asked.form {
      subject.startName = (query.start?.name ?? .startAfter).rawValue
      subject.endName = (query.end?.name ?? .endBefore).rawValue
    }
    return Response(Rejection(error, of: subject, at: time.now), for: asked.context)
  }
}
