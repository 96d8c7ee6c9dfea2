import Bytes
import HTTP
import JSONBytes
import Simulator

/// What only a demo answers, past `/demo/`: the upstream itself, for the comparison with pages by
/// number, and what came and went, so that a page can judge both.
///
/// - `GET /demo/upstream/api/v2/…`: as the upstream answers; it has calls of its own for this.
/// - `GET /demo/present?since=TIME`: `{"came":[ids],"went":[ids]}`, of articles that came after
///   that time (RFC 3339) and are there, and that went after it.
/// - `POST /demo/step?insert=N&delete=N`: has so many come and go, 100 at most;
///   `{"inserted":N,"deleted":N}`.
extension Demo {
  /// Articles that come or go with one step, at most.
  private static let stepMax = 100

  /// The answer to a request past `/demo/`.
  func answer(_ request: Request) -> Response {
    let path = request.path.dropFirst("/demo".utf8.count)
    let isRead = request.method == .get || request.method == .head
    switch path {
    case _ where path.hasPrefix("/upstream/api/v2/") && isRead:
      let target = path.dropFirst("/upstream".utf8.count) + (request.query.map { "?\($0)" } ?? "")
      return qiita.answer(Call(String(target), token: "explorer"))
    case "/present" where isRead:
      guard let since = parameter("since", of: request).flatMap(Demo.seconds) else {
        return Demo.problem("since is a time, as 2026-01-31T12:00:00Z.")
      }
      return present(since: since)
    case "/step" where request.method == .post:
      let counts = ["insert", "delete"].map { name in
        parameter(name, of: request).map { Int($0) ?? -1 } ?? 0
      }
      guard counts.allSatisfy((0...Demo.stepMax).contains) else {
        return Demo.problem("insert and delete are whole numbers from 0 to \(Demo.stepMax).")
      }
      return step(inserting: counts[0], deleting: counts[1])
    default:
      return Demo.json(
        404, #"{"code":"not_found","status":404,"detail":"A demo has nothing at this path."}"#)
    }
  }

  private func present(since: Int64) -> Response {
    let (came, went) = qiita.withQiita { qiita -> ([String], [String]) in
      let events = qiita.world.events.filter { $0.atSeconds >= since }
      let came = events.filter { $0.kind == .insert || $0.kind == .late }.map(\.id)
      let went = events.filter { $0.kind == .delete }.map(\.id)
      return (came.filter { qiita.world.presence(of: $0)?.goneStep == nil }, went)
    }
    var json = JSONWriter()
    json.append(raw: "{\"came\":")
    json.appendList(came) { $0.append($1) }
    json.append(raw: ",\"went\":")
    json.appendList(went) { $0.append($1) }
    json.append(raw: "}")
    return Demo.json(200, String(decoding: json.bytes, as: UTF8.self))
  }

  private func step(inserting: Int, deleting: Int) -> Response {
    let deleted = qiita.withQiita { qiita -> Int in
      qiita.world.advance(to: Demo.now)
      for _ in 0..<inserting { qiita.world.insert() }
      let before = qiita.world.itemCount
      for _ in 0..<deleting { qiita.world.drift(.delete) }
      return before - qiita.world.itemCount
    }
    return Demo.json(200, "{\"inserted\":\(inserting),\"deleted\":\(deleted)}")
  }

  private func parameter(_ name: String, of request: Request) -> String? {
    for pair in (request.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0] == name else { continue }
      return PercentCoding.decoded(Array(parts[1].utf8)[...]).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    return nil
  }

  /// A time's second.
  private static func seconds(_ time: String) -> Int64? {
    RFC3339.parseMilliseconds(Array(time.utf8)).map { $0 / 1_000 }
  }

  private static func problem(_ detail: String) -> Response {
    json(400, "{\"code\":\"invalid_parameter\",\"status\":400,\"detail\":\"\(detail)\"}")
  }

  private static func json(_ status: Int, _ body: String) -> Response {
    Response(
      status: Status(status),
      fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: Array(body.utf8))
  }
}
