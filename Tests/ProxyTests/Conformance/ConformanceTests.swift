import Simulator
import Testing
import Wire

/// The whole server against requests written by the clauses of RFC 9110 and RFC 9112.
@Suite(.serialized) struct ConformanceTests {
  private static let probe = head("GET /healthz HTTP/1.1", "Host: probe", "Connection: close")

  @Test(arguments: RawCase.Chapter.allCases)
  func answersAsTheClauseSays(_ chapter: RawCase.Chapter) async throws {
    try await Stand.run(try await Stand(smallWorld(10))) { stand in
      let tag = try #require(try stand.client.get("/v1/qiita/items?limit=3")["ETag"])
      for raw in chapter.cases {
        let replies = try replies(to: raw, tag, stand.client)
        let own = raw.keepsOpen ? replies.dropLast() : replies[...]
        #expect(own.map(\.status) == raw.statuses, "\(raw)")
        #expect(replies.last?.body == Self.health || !raw.keepsOpen, "\(raw)")
        for reply in own { check(reply, raw) }
        guard let last = own.last else { continue }
        #expect(last["Connection"]?.lowercased() == "close" || raw.keepsOpen, "\(raw.clause)")
        for field in raw.fields {
          #expect(last.has(field.replacing("TAG", with: tag)), "\(raw.clause): \(field)")
        }
      }
    }
  }

  @Test func headHasTheFieldsOfGet() async throws {
    try await Stand.run(try await Stand(smallWorld(10))) { stand in
      let tag = try #require(try stand.client.get("/v1/qiita/items?limit=3")["ETag"])
      for lines in ["", "Accept-Encoding: gzip", "If-None-Match: \(tag)", "If-Match: \"a\""] {
        for target in ["/v1/qiita/items?limit=3", "/v1", "/healthz", "/nowhere"] {
          // One id for both, since a problem says it in its body.
          let lines = ["X-Request-Id: a", lines].filter { !$0.isEmpty }
          let get = try stand.client.get(target, lines)
          let head = try stand.client.get(target, lines, method: "HEAD")
          #expect(head.comparable == get.comparable, "\(target) \(lines)")
          #expect(head.body.isEmpty)
        }
      }
    }
  }

  private static let health = Array(#"{"status":"ok"}"#.utf8)

  /// All that comes back for a request and the probe behind it.
  private func replies(to raw: RawCase, _ tag: String, _ client: Client) throws -> [Reply] {
    let request = raw.request.replacing("STRONG", with: tag.dropFirst(2))
      .replacing("TAG", with: tag)
    var bytes = try client.exchange(request + Self.probe)[...]
    var methods = raw.methods[...]
    var replies: [Reply] = []
    while !bytes.isEmpty {
      let method = methods.popFirst() ?? "GET"
      replies.append(try Client.takeReply(to: method, from: &bytes))
    }
    return replies
  }

  /// What holds for every answer.
  private func check(_ reply: Reply, _ raw: RawCase) {
    #expect(reply["Date"] != nil, "\(raw.clause)")
    #expect(reply["X-Request-Id"]?.isEmpty == false, "\(raw.clause)")
    guard reply.status >= 400 else { return }
    #expect(reply["Content-Type"] == "application/problem+json", "\(raw.clause)")
    guard !raw.isHead else { return }
    #expect(throws: Never.self, "\(raw.clause)") {
      let problem = try reply.problem()
      #expect(problem.status == reply.status)
      #expect(problem.requestId == reply["X-Request-Id"])
    }
  }
}

extension RawCase {
  /// The methods of the requests, in order, as far as that matters for bodies.
  fileprivate var methods: [String] {
    request.matches(of: /(HEAD|GET|OPTIONS|POST) [^ ]* HTTP/).map { String($0.output.1) }
  }
}

extension Reply {
  /// Whether it has this field, as ``RawCase/fields`` says.
  fileprivate func has(_ field: String) -> Bool {
    if field.hasPrefix("!") { return self[String(field.dropFirst())] == nil }
    guard let colon = field.firstRange(of: ": ") else { return self[field] != nil }
    return self[String(field[..<colon.lowerBound])] == String(field[colon.upperBound...])
  }

  /// Status and fields, without those that differ from one answer to the next.
  fileprivate var comparable: [String] {
    let own = ["Date", "X-Request-Id", "Age", "Cache-Status"]
    return ["\(status)"]
      + fields.filter { !own.contains($0.name) }.map { "\($0.name): \($0.value)" }.sorted()
  }
}
