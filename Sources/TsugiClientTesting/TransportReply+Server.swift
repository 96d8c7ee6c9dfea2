import Foundation
public import TsugiClient

/// Replies as the server writes them.
extension TransportReply {
  /// A slice of items, each given as JSON.
  ///
  /// `end` is why there is no more, where there is none.
  public static func slice(
    of items: [String], hasMore: Bool, hasPrevious: Bool = false, start: String? = nil,
    end: String? = nil, endReason: String = "end", gap: (id: String, skip: String)? = nil,
    seq: String = "epoch.1"
  ) -> TransportReply {
    func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
    let gap = gap.map { #"{"id":"\#($0.id)","skip":"\#($0.skip)"}"# } ?? "null"
    return json(
      """
      {"items":[\(items.joined(separator: ","))],"limit":20,"hasMore":\(hasMore),\
      "hasPrevious":\(hasPrevious),"startCursor":\(text(start)),"endCursor":\(text(end)),\
      "next":null,"previous":null,"endReason":\(hasMore ? "null" : text(endReason)),\
      "gap":\(gap),"seq":"\(seq)","total":null,"freshness":{"state":"fresh",\
      "checkedAt":"2026-11-21T00:00:00Z","provenAt":"2026-11-21T00:00:00Z"}}
      """)
  }

  /// An error with the server's own words.
  public static func problem(
    _ code: ProblemCode, detail: String = "", retryAfterSeconds: Int? = nil
  ) -> TransportReply {
    let problem = Problem(code, detail: detail, retryAfterSeconds: retryAfterSeconds)
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
