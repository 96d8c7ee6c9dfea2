import Testing

@testable import HTTP

@Suite struct RequestParserTests {
  @Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET h /"),
    ("GET /a?b=c?d HTTP/1.1\r\nHost: h:80\r\n\r\n", "GET h:80 /a?b=c?d"),
    ("GET /? HTTP/1.1\r\nHost: h\r\n\r\n", "GET h /?"),
    ("GET // HTTP/1.1\r\nHost: h\r\n\r\n", "GET h //"),
    ("GET /%2F%zz HTTP/1.1\r\nHost: h\r\n\r\n", "GET h /%2F%zz"),
    ("GET /名前@github HTTP/1.1\r\nHost: h\r\n\r\n", "GET h /名前@github"),
    ("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET h /"),
    ("GET / HTTP/1.2\r\nHost: h\r\n\r\n", "GET h /"),
    ("GET / HTTP/1.0\r\n\r\n", "GET  /"),
    ("HEAD / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "HEAD [::1]:8080 /"),
    ("GET / HTTP/1.1\r\nHost:h\r\nA: b \t\r\nA:\r\n\r\n", "GET h / [A: b] [A: ]"),
    ("GET / HTTP/1.1\r\nHost: h\r\nA: é\r\n\r\n", "GET h / [A: é]"),
    ("GET http://a/b?c HTTP/1.1\r\nHost: h\r\n\r\n", "GET a /b?c"),
    ("GET HTTP://a:1 HTTP/1.1\r\nHost: h\r\n\r\n", "GET a:1 /"),
    ("GET http://a?c HTTP/1.1\r\nHost: h\r\n\r\n", "GET a /?c"),
    ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS h *"),
    ("OPTIONS http://a HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS a *"),
    (
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
      "POST h / [Content-Length: 3] \"abc\""
    ),
    (
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
        + "000000000000000000003\r\nabc\r\n0A;x=\"\\\"\" ; y\r\n0123456789\r\n00\r\nX: y\r\n\r\n",
      "POST h / [Transfer-Encoding: CHUNKED] \"abc0123456789\""
    ),
    (
      "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
      "GET h / [Content-Length: 3]"
    ),
  ])
  func takes(_ text: String, as expected: String) {
    let parsed = Parsed(text)
    #expect(parsed.requests == [expected])
    #expect(parsed.refusal == nil)
    #expect(parsed.isBetweenRequests)
  }

  @Test(arguments: RefusedInput.all)
  func refuses(_ input: RefusedInput) {
    let parsed = Parsed(input.text)
    #expect(parsed.refusal?.status == Status(input.status), "\(parsed)")
    #expect(parsed.requests.isEmpty)
  }

  @Test(arguments: [
    ("HTTP/1.1", "", false), ("HTTP/1.1", "Connection: close\r\n", true),
    ("HTTP/1.1", "Connection: x, CLOSE\r\n", true), ("HTTP/1.0", "", true),
    ("HTTP/1.1", "Connection: x\r\nConnection: close\r\n", true),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", false),
    ("HTTP/1.0", "Connection: keep-alive, close\r\n", true),
  ])
  func honoursConnectionOptions(_ version: String, _ field: String, _ closes: Bool) {
    #expect(Parsed("GET / \(version)\r\nHost: h\r\n\(field)\r\n").closes == closes)
  }

  @Test func limitsRequestLineOnBothSides() {
    var limits = Limits()
    limits.requestLineBytes = 20
    let fits = "GET /123456 HTTP/1.1\r\nHost: h\r\n\r\n"
    #expect(Parsed(fits, limits: limits).requests == ["GET h /123456"])
    let tooLong = "GET /1234567 HTTP/1.1\r\nHost: h\r\n\r\n"
    #expect(Parsed(tooLong, limits: limits).refusal == .requestLineTooLong)
  }

  @Test func limitsHeadOnBothSides() {
    let head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    var limits = Limits()
    limits.headBytes = head.utf8.count
    #expect(Parsed("\r\n" + head, limits: limits).requests == ["GET h /"])
    limits.headBytes -= 1
    #expect(Parsed(head, limits: limits).refusal == .headTooLarge)
  }

  @Test func limitsFieldCountOnBothSides() {
    var limits = Limits()
    limits.fieldCount = 2
    let fits = "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n"
    #expect(Parsed(fits + "\r\n", limits: limits).requests == ["GET h / [A: b]"])
    #expect(Parsed(fits + "C: d\r\n\r\n", limits: limits).refusal == .tooManyFields)
  }

  @Test(arguments: ["POST", "GET"])
  func limitsBodyOnBothSides(_ method: String) {
    var limits = Limits()
    limits.bodyBytes = 4
    limits.droppedBodyBytes = 4
    let head = "\(method) / HTTP/1.1\r\nHost: h\r\n"
    let length = head + "Content-Length: "
    let chunked = head + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"
    #expect(Parsed(length + "4\r\n\r\nabcd", limits: limits).requests.count == 1)
    #expect(Parsed(length + "5\r\n\r\n", limits: limits).refusal == .bodyTooLarge)
    #expect(Parsed(chunked + "2\r\ncd\r\n0\r\n\r\n", limits: limits).requests.count == 1)
    #expect(Parsed(chunked + "3\r\ncde", limits: limits).refusal == .bodyTooLarge)
    // Its size line is enough: nothing of a chunk that is too large is waited for.
    #expect(Parsed(chunked + "3\r\n", limits: limits).refusal == .bodyTooLarge)
  }

  @Test func limitsChunkFramingOnBothSides() {
    var limits = Limits()
    limits.chunkLineBytes = 4
    limits.trailerBytes = 6
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    let fits = Parsed(head + "1;ab\r\na\r\n0\r\nA: b\r\n\r\n", limits: limits)
    #expect(fits.requests.count == 1, "\(fits)")
    #expect(Parsed(head + "1;abc\r\n", limits: limits).refusal?.status == 400)
    let trailer = Parsed(head + "0\r\nA: bcde\r\n", limits: limits)
    #expect(trailer.refusal == .headTooLarge)
  }

  @Test func countsLeadingEmptyLines() {
    let head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    let most = String(repeating: "\r\n", count: HeadParser.leadingLinesMax)
    #expect(Parsed(most + head).requests == ["GET h /"])
    #expect(Parsed(most + "\r\n" + head).refusal?.status == 400)
    #expect(Parsed(most).isBetweenRequests)
  }
}
