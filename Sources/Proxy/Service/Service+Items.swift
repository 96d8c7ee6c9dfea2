import Feed
import HTTP

/// A request for a single item.
struct AskedItem {
  var name: ItemName
  var source: SourceBinding
  /// How long the upstream is waited for.
  var wait: Duration
  /// What it is cut to; nil leaves it whole.
  var fields: FieldSelection?
  /// The target as it was sent, without scheme and host.
  var target: [UInt8]
  var context: RequestContext

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
        let item = try await asked.source.reader.item(
          asked.name, wait: asked.wait, permit: service.permit(for: asked.context))
        response = service.state.encoded(
          service.response(asked.cut(item), asked), for: asked.context)
      } catch {
        let rejection = Rejection(error, of: .init(isItem: true), at: service.time.now)
        response = Response(rejection, for: asked.context)
      }
      return { [response] in held.send(service.finished(response, for: asked.context)) }
    }
  }
}
