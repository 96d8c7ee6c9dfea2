import Feed
import HTTP

/// A request for a single item.
struct AskedItem {
  /// Which item.
  enum Subject {
    /// One that the source shows by itself.
    case named(ItemName)
    /// One that a feed has, by what is stored.
    case stored(Identity, FeedID)

    var isStored: Bool { if case .stored = self { true } else { false } }
  }

  let subject: Subject
  let source: SourceBinding
  /// How long the upstream is waited for, where it may be asked.
  let wait: Duration
  /// What it is cut to; nil leaves it whole.
  let fields: FieldSelection?
  /// The target as it was sent, without scheme and host.
  let target: [UInt8]
  let context: RequestContext

  /// A client that asks for what is cached alone waits for nothing.
  init(
    _ subject: Subject, source: SourceBinding, wait: Duration, fields: FieldSelection? = nil,
    target: [UInt8], context: RequestContext
  ) {
    (self.subject, self.source) = (subject, source)
    self.wait = context.isOnlyIfCached ? .zero : wait
    (self.fields, self.target, self.context) = (fields, target, context)
  }

  /// An item cut to what was asked of it.
  func cut(_ item: ItemReading) -> ItemReading {
    guard let fields else { return item }
    var item = item
    item.bytes = fields.cut(item.bytes)
    return item
  }
}

extension Service {
  /// The reply that carries an item, cut already.
  func response(_ item: ItemReading, _ asked: AskedItem) -> Response {
    var response = Response(item, for: asked.context, by: replyPolicy(of: asked.source))
    if asked.context.isQiitas { response.nameJSONAsQiita() }
    return response
  }

  /// Answers with a single item.
  func answer(_ asked: AskedItem, _ responder: consuming Responder) {
    waitAside(asked.context, responder.hold()) { [service = self] held in
      var response: Response
      do throws(ReadError) {
        response = service.state.encoded(
          service.response(asked.cut(try await service.item(asked)), asked), for: asked.context)
      } catch {
        let rejection = Rejection(
          error, of: .init(isItem: true, isStored: asked.subject.isStored), at: service.time.now)
        response = Response(rejection, for: asked.context)
      }
      return { [response] in held.send(service.finished(response, for: asked.context)) }
    }
  }

  private func item(_ asked: AskedItem) async throws(ReadError) -> ItemReading {
    let reader = asked.source.reader
    return switch asked.subject {
    case .named(let name):
      try await reader.item(name, wait: asked.wait, permit: permit(for: asked.context))
    case .stored(let id, let feed): try await reader.storedItem(id, in: feed)
    }
  }
}
