import Foundation
public import TsugiClient

/// Replies as the server writes them.
extension TransportReply {
  /// A slice of items, each given as JSON.
  ///
  /// Cursors that are not given are made of the first and the last item. `endReason` is why there
  /// is no more, where there is none; `state` is how fresh it is, `fresh`, `stale` or `expired`.
  public static func slice(
    of items: [String], hasMore: Bool, hasPrevious: Bool = false, start: String? = nil,
    end: String? = nil, endReason: String = "end", gap: (id: String, skip: String)? = nil,
    seq: String = "epoch.1", total: Int? = nil, state: String = "fresh"
  ) -> TransportReply {
    func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
    let start = start ?? items.first.map(cursor)
    let end = end ?? items.last.map(cursor)
    let total = total.map { #"{"value":\#($0),"asOf":"2026-11-21T00:00:00Z"}"# } ?? "null"
    let gap = gap.map { #"{"id":"\#($0.id)","skip":"\#($0.skip)"}"# } ?? "null"
    return json(
      """
      {"items":[\(items.joined(separator: ","))],"limit":20,"hasMore":\(hasMore),\
      "hasPrevious":\(hasPrevious),"startCursor":\(text(start)),"endCursor":\(text(end)),\
      "next":null,"previous":null,"endReason":\(hasMore ? "null" : text(endReason)),\
      "gap":\(gap),"seq":"\(seq)","total":\(total),"freshness":{"state":"\(state)",\
      "checkedAt":"2026-11-21T00:00:00Z","provenAt":"2026-11-21T00:00:00Z"}}
      """)
  }

  /// A cursor of an item: the same for the same JSON (FNV-1a).
  private static func cursor(of item: String) -> String {
    let digest = item.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    return "c" + String(digest, radix: 36)
  }

  /// Changes, each given as JSON as the server sends it
  /// (`{"op":"delete","seq":"epoch.2","id":"a"}`), and the number to ask on from. `state` is how
  /// fresh the top is.
  public static func changes(
    _ changes: [String], next: String, hasMore: Bool = false, state: String = "fresh"
  ) -> TransportReply {
    json(
      """
      {"changes":[\(changes.joined(separator: ","))],"limit":100,"hasMore":\(hasMore),\
      "nextSince":"\(next)","next":null,"total":null,"freshness":{"state":"\(state)",\
      "checkedAt":"2026-11-21T00:00:00Z","provenAt":"2026-11-21T00:00:00Z"}}
      """)
  }

  /// An error with the server's own words.
  public static func problem(
    _ code: ProblemCode, detail: String = "", retryAfterSeconds: Int? = nil
  ) -> TransportReply {
    let problem = ProblemDetails(code, detail: detail, retryAfterSeconds: retryAfterSeconds)
    var headers = ["content-type": "application/problem+json"]
    if let retryAfterSeconds { headers["retry-after"] = String(retryAfterSeconds) }
    // A problem is texts and numbers: encoding it cannot fail.
    let body = (try? JSONEncoder().encode(problem)) ?? Data()
    return TransportReply(status: code.status, headers: headers, body: body)
  }

  /// Any JSON.
  public static func json(_ text: String, status: Int = 200) -> TransportReply {
    TransportReply(
      status: status, headers: ["content-type": "application/json"], body: Data(text.utf8))
  }
}
