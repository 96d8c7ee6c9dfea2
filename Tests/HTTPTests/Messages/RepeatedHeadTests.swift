import Support
import Testing

@testable import HTTP

/// Heads that a handler knows again by their bytes alone.
@Suite(.serialized) struct RepeatedHeadTests {
  private static let known = "GET /known HTTP/1.1\r\nHost: h\r\n\r\n"
  private static let other = "GET /other HTTP/1.1\r\nHost: h\r\n\r\n"

  /// Answers one head by its bytes, and all others by their paths.
  private final class Knowing: Handler {
    private let short = EncodedAnswer(Response(status: 200, text: "short"))

    func handle(_ request: Request, _ responder: consuming Responder) {
      responder.send(Response(status: 200, text: request.path))
    }

    func readyAnswer(
      repeating bytes: UnsafeRawBufferPointer, _ own: inout PerReplyFields
    ) -> CachedReply? {
      guard bytes.elementsEqual(RepeatedHeadTests.known.utf8) else { return nil }
      return CachedReply(short, isHead: false)
    }
  }

  /// The bodies that come back to these pieces, each sent when the one before may have been read.
  private func bodies(of pieces: [String]) async throws -> [String] {
    let server = Server(ServerOptions()) { _ in Knowing() }
    let client = try RawClient(try server.start())
    for piece in pieces where !piece.isEmpty {
      try client.send(piece)
      try await Task.sleep(for: .milliseconds(1))
    }
    client.endSending()
    let text = try client.receiveAll()
    await server.stop(drain: .zero)
    return text.split(separator: "HTTP/1.1 200 OK\r\n").map { reply in
      reply.firstRange(of: "\r\n\r\n").map { String(reply[$0.upperBound...]) } ?? ""
    }
  }

  @Test func isAnsweredByItsBytesWhenItComesAlone() async throws {
    #expect(try await bodies(of: [Self.known]) == ["short"])
    #expect(try await bodies(of: [Self.other]) == ["/other"])
    #expect(try await bodies(of: [Self.known, Self.other, Self.known]).count == 3)
  }

  /// However a client's bytes are cut, each request gets one answer, its own, and in its turn; by
  /// which way does not show.
  @Test func anySplitGivesEachRequestItsAnswer() async throws {
    let requests = [Self.known, "\r\n" + Self.known, Self.other, Self.known]
    let whole = requests.joined()
    for cut in stride(from: 0, through: whole.utf8.count, by: 1) {
      let place = whole.utf8.index(whole.utf8.startIndex, offsetBy: cut)
      let bodies = try await bodies(of: [String(whole[..<place]), String(whole[place...])])
      let asked = bodies.map { $0 == "short" ? "/known" : $0 }
      #expect(asked == ["/known", "/known", "/other", "/known"], "cut at \(cut)")
    }
  }

  @Test func aStoppingServerTellsTheConnectionsEnd() async throws {
    let server = Server(ServerOptions()) { _ in Knowing() }
    let client = try RawClient(try server.start())
    try client.send(Self.known)
    #expect(try client.receive(until: "short").contains("short"))
    // A request begun keeps its connection open while the server drains.
    try client.send("GET /")
    try await Task.sleep(for: .milliseconds(20))
    async let stopped: Void = server.stop(drain: .seconds(5))
    try await Task.sleep(for: .milliseconds(20))
    try client.send(String((Self.other + Self.known).dropFirst("GET /".count)))
    let rest = try await onThread { try client.receiveAll() }
    await stopped
    #expect(rest.contains("\r\nConnection: close\r\n"))
    #expect(rest.hasSuffix("/other"))
  }
}
