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
  var context: RequestContext
}

extension Service {
  /// Answers with a single item.
  func answer(_ asked: AskedItem, _ responder: consuming Responder) {
    waitAside(asked.context, responder.hold()) { [service = self] held in
      var response: Response
      do throws(ReadError) {
        var item = try await asked.source.reader.item(
          asked.name, wait: asked.wait, permit: service.permit(for: asked.context))
        if let fields = asked.fields { item.bytes = fields.cut(item.bytes) }
        response = Response(item, for: asked.context, by: service.replyPolicy(of: asked.source))
        if asked.context.isQiitas { response.nameJSONAsQiita() }
        response = service.state.encoded(response, for: asked.context)
      } catch {
        let rejection = Rejection(error, of: .init(isItem: true), at: service.time.now)
        response = Response(rejection, for: asked.context)
      }
      return { [response] in held.send(service.finished(response, for: asked.context)) }
    }
  }
}
