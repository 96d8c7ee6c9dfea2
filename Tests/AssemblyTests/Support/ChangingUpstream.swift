import HTTP
import Synchronization

/// An API on loopback with one list under any path, which comes in one of two orders, and one thing
/// that is no list: `pic`. What it answers says what it was asked.
final class ChangingUpstream: Sendable {
  let port: Int
  private let server: Server
  private let orders: Orders

  /// The sources whose lists come in the order of `ranked_at`, and what else is not as before.
  private final class Orders: Sendable {
    let ranked = Mutex<Set<String>>([])
  }

  init() throws {
    let orders = Orders()
    self.orders = orders
    server = Server(ServerOptions(address: Address(host: "127.0.0.1", port: 0))) {
      request, responder in
      responder.send(
        ChangingUpstream.answer(to: request, ranked: orders.ranked.withLock { $0 }))
    }
    port = try server.start().port
  }

  /// From now on the lists of these sources come in their other order, and no others do.
  func rank(_ names: Set<String>) { orders.ranked.withLock { $0 = names } }

  func stop() async { await server.stop(drain: .zero) }

  private static func answer(to request: Request, ranked: Set<String>) -> Response {
    var parameters: [String: String] = [:]
    for pair in (request.query ?? "").split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
      parameters[halves[0]] = halves.count > 1 ? halves[1] : ""
    }
    var fields = Fields()
    fields.append(named: "content-type", "application/json")
    let words = request.path.split(separator: "/")
    let body: String
    if words.last == "pic" {
      let told = ["authorization", "accept-language"].map { request.fields[$0] ?? "" }
      body = #"{"path":"\#(request.path)","told":"\#(told.joined(separator: "|"))"}"#
      fields.append(named: "cache-control", told[1] == "" ? "private" : "max-age=3600")
      fields.append(named: "set-cookie", "taste=sweet")
    } else {
      let asked =
        "\(request.path) \(parameters["q"] ?? "") \(parameters["query"] ?? "") "
        + (request.fields["x-test"] ?? "")
      let elements = window(of: parameters, ranked: ranked.contains(String(words[0])))
        .map { element($0, asked) }
      let list = "[\(elements.joined(separator: ","))]"
      fields.append(named: "total-count", "5")
      body =
        words.contains("qiita")
        ? list
        : #"{"data":\#(list),"rows":\#(list),"ok":true,"more":false,"total":5,"cursor":null}"#
    }
    return Response(fields: fields, body: Array(body.utf8))
  }

  /// The numbers of the elements that are asked for, in their order.
  private static func window(of parameters: [String: String], ranked: Bool) -> [Int] {
    let all = ranked ? [5, 2, 4, 1, 3] : [5, 4, 3, 2, 1]
    let number = { (names: [String]) in
      names.lazy.compactMap { parameters[$0].flatMap(Int.init) }.first
    }
    let size = number(["per_page", "count", "limit"]) ?? 100
    var skipped = number(["offset"]) ?? max(0, (number(["page", "p"]) ?? 1) - 1) * size
    if let mark = parameters["after"] {
      let place = all.firstIndex { mark.hasSuffix("a\($0)") || mark.hasSuffix("u\(6 - $0)") }
      skipped = place.map { $0 + 1 } ?? all.count
    }
    return Array(all.dropFirst(skipped).prefix(size))
  }

  private static func element(_ number: Int, _ asked: String) -> String {
    let rank = [2, 4, 1, 3, 5][number - 1]
    return #"{"id":"a\#(number)","uid":"u\#(6 - number)","asked":"\#(asked)","#
      + #""created_at":"2026-01-0\#(number)T00:00:00Z","ranked_at":"2026-02-0\#(rank)T00:00:00Z","#
      + #""updated_at":"2026-01-09T00:00:00Z","stamp":\#(1_767_225_600 + number * 1_000),"#
      + #""private":false,"body":{"id":"a\#(number)","asked":"\#(asked)"}}"#
  }
}
