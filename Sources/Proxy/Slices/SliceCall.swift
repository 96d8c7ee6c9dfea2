import Feed
import HTTP

/// A request for a slice, and how to reply to it. One object: it is handed on from step
/// to step.
final class SliceCall: Sendable {
  /// What the engine is asked.
  let request: SliceRequest
  /// What it is asked where the request's position can no longer be found; nil where that is the
  /// client's to know.
  let fallback: SliceRequest?
  let form: Form
  /// What is kept of each item, where that was asked for.
  let fields: FieldSelection?
  let source: SourceBinding
  /// The target as it was sent, without scheme and host.
  let target: [UInt8]
  /// The host that was named, where the answer hangs on it.
  let host: String?
  let context: RequestContext
  /// Whether every client gets the same that sends the same target, names the same host and takes
  /// the same coding at the same time; 304 in its place where it has that already.
  let isShared: Bool

  /// How a slice is answered.
  enum Form {
    /// As the contract has it.
    case envelope(SliceQuery)
    /// As Qiita's API has it.
    case page(QiitaPage)
  }

  /// A slice as the contract has it.
  init(_ asked: SliceQueryMemo.Entry, at target: [UInt8], _ context: RequestContext) {
    let query = asked.query
    request = query.request(
      isNoCache: context.isNoCache, isOnlyIfCached: context.isOnlyIfCached)
    fallback = nil
    form = .envelope(query)
    fields = query.fields
    source = asked.source
    self.target = target
    host = nil
    self.context = context
    isShared = context.isPlain
  }

  /// The same request, by the client of `context`.
  init(_ asked: SliceCall, by context: RequestContext) {
    (request, fallback, form, fields) = (asked.request, asked.fallback, asked.form, asked.fields)
    (source, target, host, isShared) = (asked.source, asked.target, asked.host, asked.isShared)
    self.context = context
  }

  /// The same of a feed in the order in which it is served now; nil where a bound is a place in
  /// the other order.
  init?(_ asked: SliceCall, in feed: FeedID) {
    switch asked.form {
    case .envelope(let query):
      guard let query = SliceQuery(query, in: feed) else { return nil }
      form = .envelope(query)
    case .page(let page):
      form = .page(page.served(as: feed))
    }
    var request = asked.fallback ?? asked.request
    request.feed = feed
    self.request = request
    fallback = nil
    (fields, source, target) = (asked.fields, asked.source, asked.target)
    (host, context, isShared) = (asked.host, asked.context, asked.isShared)
  }

  /// A page as Qiita's API has it.
  init(
    _ page: QiitaPage, of source: SourceBinding, at target: [UInt8], host: String?,
    request: SliceRequest, fallback: SliceRequest?, isShared: Bool, _ context: RequestContext
  ) {
    self.request = request
    self.fallback = fallback
    form = .page(page)
    fields = nil
    self.source = source
    self.target = target
    self.host = host
    self.context = context
    self.isShared = isShared && context.isPlain
  }

  /// By what those who ask for the same are known, where it is shared.
  struct Key: Hashable {
    var target: [UInt8]
    var host: String?
    var coding: ContentCoding
    /// Whether the top is looked at.
    var refreshes: Bool
  }

  /// See ``Key``.
  var key: Key {
    Key(target: target, host: host, coding: context.coding, refreshes: request.refreshes)
  }

  /// Whether it is answered so later, too.
  var isKept: Bool { isShared && !request.refreshes }

  /// A slice as it is answered: its items cut to what was asked of them.
  func cut(_ slice: Slice) -> Slice {
    fields?.cut(slice) ?? slice
  }

  /// The slice, waiting for the upstream as long as the request allows, and for its place; `permit`
  /// is asked before an opening.
  func slice(
    permit: OpeningPermit?, in place: RenderingPlace
  ) async throws(ReadError) -> Slice {
    do throws(ReadError) {
      return try await source.reader.slice(request, permit: permit, room: place)
    } catch {
      guard case .positionExpired = error, let fallback else { throw error }
      return try await source.reader.slice(fallback, permit: permit, room: place)
    }
  }

  /// The slice if what is stored answers it; nil when more has to be done.
  func stored(from reader: any TimelineReader) throws(ReadError) -> Slice? {
    do throws(ReadError) {
      return try source.reader.stored(request, from: reader)
    } catch {
      guard case .positionExpired = error, fallback != nil else { throw error }
      return nil
    }
  }
}

extension RequestContext {
  /// Whether what is answered hangs on the target alone, but for a 304.
  var isPlain: Bool { !isOnlyIfCached && ifMatch == nil }
}
