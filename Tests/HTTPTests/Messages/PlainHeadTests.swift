import Testing

@testable import HTTP

@Suite struct PlainHeadTests {
  /// The target of a plain head, and nil for one that is not plain.
  private func plainTarget(_ text: String) -> String? { plain(text)?.target }

  /// What a plain head says; nil for one that is not plain.
  private func plain(_ text: String) -> (target: String, closes: Bool)? {
    var parser = RequestParser()
    return Array(text.utf8).withUnsafeBytes { bytes in
      parser.plainHead(in: bytes, at: 0, limits: Limits(), peer: .loopback).map { head in
        (String(decoding: head.target, as: UTF8.self), head.closes)
      }
    }
  }

  @Test(arguments: [
    "", "Accept: */*\r\n", "Connection: Keep-Alive\r\n",
    "Connection: Close\r\n", "Range: bytes=0-1\r\n",
    "If-None-Match: W/\"a\"\r\n", "Authorization: Bearer k\r\nOrigin: https://a\r\n",
    "X-Request-Id: a\r\nAccept-Encoding: gzip\r\nX-Forwarded-For: 192.0.2.1\r\n",
  ])
  func takesAPlainHead(_ lines: String) {
    for method in ["GET", "HEAD"] {
      #expect(plainTarget("\(method) /a?b HTTP/1.1\r\nHost: h\r\n\(lines)\r\n") == "/a?b")
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.0\r\nHost: h\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nConnection: close, keep-alive\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\ncache-control: no-cache\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nIf-Match: *\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nOrigin: a\r\nOrigin: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
  ])
  func leavesTheRestToTheLongWay(_ text: String) {
    #expect(plainTarget(text) == nil)
  }

  /// What is passed over is the head alone; what is not is parsed as if nobody had looked.
  @Test func lookingAtAHeadChangesNothing() {
    let text = "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n"
    Array(text.utf8).withUnsafeBytes { bytes in
      for passes in [[true, true], [true, false], [false, true], [false, false]] {
        var parser = RequestParser()
        var position = 0
        for (target, isPassed) in zip(["/a", "/b"], passes) {
          let head = parser.plainHead(in: bytes, at: position, limits: Limits(), peer: .loopback)
          #expect(head.map { String(decoding: $0.target, as: UTF8.self) } == target)
          guard !isPassed else {
            parser.passHead(from: &position)
            continue
          }
          let outcome = parser.parse(bytes, from: &position, limits: Limits(), peer: .loopback)
          if case .request(let request) = outcome {
            #expect(request.path == target)
          } else {
            Issue.record("no request at \(target)")
          }
        }
        #expect(position == bytes.count && parser.isBetweenRequests)
      }
    }
  }

  /// The short way may never take what the long way would refuse or read otherwise.
  @Test func everyPlainHeadIsTheSameRequestTheLongWay() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "GET ", "HEAD ", "/", "a", "?", " ", "HTTP/1.1", "HTTP/1.0", "\r\n", "\n", "Host: h", "Host:",
      "Connection: ", "keep-alive", "close", "Content-Length: 1", "Transfer-Encoding: chunked",
      "Expect: x", "Origin: o", ":", "\0",
    ]
    for _ in 0..<20_000 {
      var text = "GET /a HTTP/1.1\r\nHost: h\r\nOrigin: o\r\n\r\n"
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let place = text.utf8.indices.randomElement(using: &random) ?? text.startIndex
        text.insert(contentsOf: pieces.randomElement(using: &random) ?? "", at: place)
      }
      guard let plain = plain(text) else { continue }
      let parsed = Parsed(text)
      #expect(parsed.requests.first?.contains(plain.target) == true, "\(text)")
      #expect(parsed.closes == plain.closes || parsed.requests.count > 1, "\(text)")
    }
  }
}
