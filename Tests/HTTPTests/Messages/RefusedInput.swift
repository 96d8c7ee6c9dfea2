import Testing

/// Inputs that a server must not take for requests, with the status each is refused with.
struct RefusedInput: CustomTestStringConvertible {
  var status: Int
  var text: String

  var testDescription: String { "\(status) \(text.debugDescription)" }

  private static func get(_ line: String, _ status: Int = 400) -> RefusedInput {
    RefusedInput(status: status, text: "\(line)\r\nHost: h\r\n\r\n")
  }

  private static func field(_ fields: String, _ status: Int = 400) -> RefusedInput {
    RefusedInput(status: status, text: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
  }

  private static func host(_ lines: String) -> RefusedInput {
    RefusedInput(status: 400, text: "GET / HTTP/1.1\r\n\(lines)\r\n")
  }

  private static func chunks(_ body: String, _ status: Int = 400) -> RefusedInput {
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    return RefusedInput(status: status, text: head + body)
  }

  static let all = requestLines + hosts + fields + lengths + codings + chunkedBodies

  private static let requestLines = [
    get("GET / HTTP/2.0", 505), get("GET / HTTP/0.9", 505), get("GET / http/1.1"),
    get("GET / HTTP/1"), get("GET / HTTP/1.1 "), get("GET / HTTP/11.1"), get("GET / HTTP/1.10"),
    get("GET /"), get("GET"), get("GET  / HTTP/1.1"), get("GET /  HTTP/1.1"),
    get("GET\t/ HTTP/1.1"), get(" GET / HTTP/1.1"), get("GET / a HTTP/1.1"),
    get("GET a HTTP/1.1"), get("GET * HTTP/1.1"), get("GET /#a HTTP/1.1"),
    get("GET /\u{1} HTTP/1.1"), get("GET /\0 HTTP/1.1"), get("GET /\r HTTP/1.1"),
    get("GET /\u{7F} HTTP/1.1"), get("G@T / HTTP/1.1"), get("get / HTTP/1.1", 501),
    get("BREW / HTTP/1.1", 501), get("CONNECT h:80 HTTP/1.1", 501), get("TRACE / HTTP/1.1", 501),
    get("GET http:///a HTTP/1.1"), get("GET http://u@h/ HTTP/1.1"), get("GET ftp://h/ HTTP/1.1"),
    get("GET http://h:x/ HTTP/1.1"), get("GET h:80 HTTP/1.1"),
    RefusedInput(status: 505, text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    RefusedInput(status: 400, text: "\u{16}\u{3}\u{1}"),
    RefusedInput(status: 400, text: "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
    RefusedInput(status: 400, text: "GET / HTTP/1.1\nHost: h\n\n"),
    RefusedInput(status: 400, text: "GET / HTTP/1.1\r\nHost: h\r\n\n"),
  ]

  private static let hosts = [
    host(""), host("Host:\r\n"), host("Host: h\r\nHost: h\r\n"), host("Host: a b\r\n"),
    host("Host: a,b\r\nhost: a\r\n"), host("Host: u@h\r\n"), host("Host: h/\r\n"),
    host("Host: h:x\r\n"), host("Host: h:65536\r\n"), host("Host: h:1:2\r\n"),
    host("Host: :80\r\n"), host("Host: [::1\r\n"), host("Host: [h]\r\n"), host("Host: []\r\n"),
    host("Host: ::1\r\n"), host("Host: hé\r\n"), host("Host: [::1]a\r\n"),
    RefusedInput(status: 400, text: "GET http://h/ HTTP/1.1\r\n\r\n"),
  ]

  private static let fields = [
    field("A : b"), field(" A: b"), field("A: b\r\n c"), field("A: b\r\n\tc"), field(": b"),
    field("A"), field("A b: c"), field("A: \0"), field("A: b\rc"), field("A: b\nC: d"),
    field("A: \u{7F}"), field("A\0: b"), field("É: b"), field("Expect: tea", 417),
    RefusedInput(status: 400, text: "GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
    RefusedInput(status: 400, text: "BREW / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
  ]

  private static let lengths = [
    field("Content-Length: -1"), field("Content-Length: +1"), field("Content-Length: 1a"),
    field("Content-Length: 0x1"), field("Content-Length:"), field("Content-Length: 1 1"),
    field("Content-Length: 1, 1"), field("Content-Length: 1\r\nContent-Length: 2"),
    field("Content-Length: 1\r\nContent-Length: 1"), field("Content-Length: 1.0"),
    field("Content-Length: 99999999999999999999"),
    field("Content-Length: 999999999999999999", 413),
    field("Content-Length: 1\r\nTransfer-Encoding: chunked"),
    field("Transfer-Encoding: chunked\r\nContent-Length: 0"),
  ]

  private static let codings = [
    field("Transfer-Encoding: gzip", 501), field("Transfer-Encoding: gzip, chunked", 501),
    field("Transfer-Encoding: identity", 501), field("Transfer-Encoding: xchunked", 501),
    field("Transfer-Encoding: gzip;q=1, chunked", 501), field("Transfer-Encoding:"),
    field("Transfer-Encoding: chunked, gzip"), field("Transfer-Encoding: chunked, chunked"),
    field("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    field("Transfer-Encoding: ,chunked"), field("Transfer-Encoding: \"chunked\""),
    field("Transfer-Encoding: chunked;a=b"), field("Transfer-Encoding: chun ked"),
    RefusedInput(
      status: 400, text: "POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"),
  ]

  private static let chunkedBodies = [
    chunks("g\r\n"), chunks("\r\n"), chunks(" 1\r\n"), chunks("1 \r\n"), chunks("-1\r\n"),
    chunks("+1\r\n"), chunks("0x1\r\n"), chunks("1\na\r\n"), chunks("1\r\na\n"),
    chunks("1\r\nab\r\n"), chunks("1\r\na\rb"), chunks("1;\r\n"), chunks("1;=a\r\n"),
    chunks("1;a=\r\n"), chunks("1;a=\"b\r\n"), chunks("1;a\0\r\n"), chunks("1;a\r;b\r\n"),
    chunks("1000000000000000\r\n"), chunks("8000000000000000\r\n"),
    chunks("ffffffffffffffff\r\n"), chunks("00FFFFFFFFFFFFFFFFFFFFF\r\n"), chunks("0\r\n\n"),
    chunks("0\r\nA b\r\n"),
    chunks("0\r\n A: b\r\n"), chunks("0\r\nA: b\r\n\n"), chunks("FFFFFFFFF\r\n", 413),
    chunks("100000\r\n" + String(repeating: "a", count: 1 << 20) + "\r\n1\r\n", 413),
    chunks(String(repeating: "0", count: 2000)),
  ]
}
