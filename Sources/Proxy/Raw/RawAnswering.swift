import Feed
import Freshness
import HTTP
import Wire

/// A request for what else an upstream has.
struct RawCall {
  let raw: RawSource
  let request: RawRequest
  /// The target of the request as it was sent.
  let target: [UInt8]
  let context: RequestContext

  init(_ raw: RawSource, at upstream: RawTarget, _ request: Request, _ context: RequestContext) {
    self.raw = raw
    self.context = context
    target = request.target
    let fields = FieldList(request.fields.lines.map { FieldLine($0.name, $0.value) }).endToEnd
    self.request = RawRequest(
      target: upstream.text, isHead: request.method == .head, fields: fields,
      forwarded: raw.forwards.forwarded(of: fields))
  }
}

/// Answers one loop's raw requests; what is cached and fresh is ready for the next request.
final class RawAnswering {
  private let service: Service
  private let answers: LoopAnswers

  init(_ service: Service, answers: LoopAnswers) {
    (self.service, self.answers) = (service, answers)
  }

  func answer(_ call: RawCall, _ responder: consuming Responder) {
    let held = responder.hold()
    // Safe because only the loop's thread, which runs the work given to the loop, uses it.
    nonisolated(unsafe) let answering = self
    service.waitAside(call.context, held) { [service] held in
      let version = call.raw.cache.version
      let now = service.time.now
      let reply = await call.raw.cache.answer(
        call.request, wait: service.waitDefault, permit: service.permit(for: call.context)
      ) { code, fields in
        guard code == 102 || code == 103 else { return }
        InterimResponse(code: code, fields: Fields(passing: fields)).map { held.send($0) }
      }
      let response = Response(
        reply, to: call.request, of: call.raw, for: call.context,
        isPrivate: !service.gate.apiKeys.isEmpty, at: service.time.now)
      return {
        held.loop.run {
          if case .kept(let answer, _) = reply, !call.request.isHead {
            answering.answers.store(
              response, answer, of: call.raw, to: call.target, as: call.context.coding,
              version: version, at: now)
          }
          held.send(service.finished(response, for: call.context))
        }
      }
    }
  }
}

extension Service {
  /// Purges what a source keeps, and says how many responses went.
  func purge(
    _ selection: AnswerSelection, of raw: RawSource
  ) throws(Rejection) -> [UInt8] {
    do throws(StoreError) {
      return Array("{\"purged\":\(try raw.cache.purge(selection))}\n".utf8)
    } catch {
      throw Rejection(.overloaded, "The store cannot be written.", retryAfterSeconds: 5)
    }
  }
}
