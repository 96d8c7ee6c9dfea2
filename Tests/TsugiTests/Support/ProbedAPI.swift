import HTTP
import Synchronization

/// An API on loopback: a list of 137 by offset that names its next page, or what a test answers.
final class ProbedAPI: Sendable {
  /// An answer: its status, its fields and its body.
  typealias Given = (status: Int, fields: [String: String], body: String)

  let port: Int
  private let server: Server
  private let asked: Asked

  private final class Asked: Sendable {
    private let all = Mutex<[Request]>([])
    var requests: [Request] { all.withLock { $0 } }

    /// Keeps a request. Returns its number, from 1 on.
    func note(_ request: Request) -> Int {
      all.withLock { all in
        all.append(request)
        return all.count
      }
    }
  }

  /// Next pages are at an origin, or at this one. A call is answered otherwise where `answer` says
  /// so, by its number from 1 on.
  init(
    nextOrigin: String = "", answer: @escaping @Sendable (_ call: Int) -> Given? = { _ in nil }
  ) throws {
    let asked = Asked()
    self.asked = asked
    server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      let given =
        answer(asked.note(request)) ?? (200, [:], ProbedAPI.page(request.query ?? "", nextOrigin))
      var fields = Fields()
      for (name, value) in given.fields { fields.append(named: name, value) }
      responder.send(
        Response(status: Status(given.status), fields: fields, body: Array(given.body.utf8)))
    }
    port = try server.start().port
  }

  /// The URL of the list.
  var url: String { "http://127.0.0.1:\(port)/api/items" }

  /// What was asked so far.
  var requests: [Request] { asked.requests }

  func stop() async { await server.stop(drain: .zero) }

  private static func page(_ query: String, _ nextOrigin: String) -> String {
    let value = { (name: String, usual: Int) in
      query.split(separator: "&").first { $0.hasPrefix("\(name)=") }
        .flatMap { Int($0.dropFirst(name.utf8.count + 1)) } ?? usual
    }
    let (begin, size) = (value("offset", 0), min(50, value("limit", 20)))
    let end = min(137, begin + size)
    let items = (min(begin, end)..<end).map {
      #"{"id":\#(900 - $0),"made_at":\#(1_765_300_000 - 60 * $0)}"#
    }
    let next = "\(nextOrigin)/api/items?limit=\(size)&offset=\(end)"
    return #"{"items":[\#(items.joined(separator: ","))],"next":"\#(next)"}"#
  }
}
