/// RFC 9112: how messages are read, and how connections go on.
extension RawCase {
  static let requestLines: [RawCase] = [
    .open("M2.2 empty lines before", "\r\n\r\n" + get(), 200),
    .closed("M2.2 bare LF", "GET /healthz HTTP/1.1\nHost: h\n\n", 400),
    .closed("M2.2 bare LF behind a field", "GET /healthz HTTP/1.1\r\nHost: h\nA: b\r\n\r\n", 400),
    .closed("M2.2 bare CR", get("A: b\rC: d"), 400),
    .closed("M2.2 space before the first field", head("GET / HTTP/1.1", " Host: h"), 400),
    .open("M2.3 later minor version", head("GET /healthz HTTP/1.2", "Host: h"), 200),
    .closed("M2.3 HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    .closed("M2.3 HTTP/2.0", head("GET /healthz HTTP/2.0", "Host: h"), 505),
    .closed("M2.3 HTTP/0.9", head("GET /healthz HTTP/0.9", "Host: h"), 505),
    .closed("M2.3 name is case-sensitive", head("GET /healthz http/1.1", "Host: h"), 400),
    .closed("M2.3 no version", "GET /healthz\r\n\r\n", 400),
    .closed("M2.3 two digits", head("GET /healthz HTTP/1.11", "Host: h"), 400),
    .closed("M3 two spaces", head("GET  /healthz HTTP/1.1", "Host: h"), 400),
    .closed("M3 space in the target", head("GET /health z HTTP/1.1", "Host: h"), 400),
    .closed("M3 space behind", head("GET /healthz HTTP/1.1 ", "Host: h"), 400),
    .closed("M3 tab", head("GET\t/healthz HTTP/1.1", "Host: h"), 400),
    .closed("M3 NUL", head("GET /\0 HTTP/1.1", "Host: h"), 400),
    .closed("M3 no HTTP at all", "\u{16}\u{3}\u{1}\u{2}\0", 400),
    .open("M3 as long as allowed", head("GET /\(x(16_370)) HTTP/1.1", "Host: h"), 404),
    .closed("M3 longer", head("GET /\(x(16_371)) HTTP/1.1", "Host: h"), 414),
    .closed("S9.3.2 HEAD, longer", head("HEAD /\(x(16_371)) HTTP/1.1", "Host: h"), 414),
    .closed("S9.3.2 HEAD, HTTP/2.0", head("HEAD /healthz HTTP/2.0", "Host: h"), 505),
    .closed("S9.3.2 HEAD, no version", head("HEAD /healthz HTTP/1.x", "Host: h"), 400),
    .closed("M3.1 method is case-sensitive", head("get /healthz HTTP/1.1", "Host: h"), 501),
    .closed("M3.2.1 target without a slash", head("GET healthz HTTP/1.1", "Host: h"), 400),
    .closed("M3.2.1 fragment", head("GET /healthz#a HTTP/1.1", "Host: h"), 400),
    .open("M3.2.2 absolute", head("GET http://a/healthz HTTP/1.1", "Host: a"), 200),
    .open("M3.2.2 absolute, upper case", head("GET HTTP://A:80/healthz HTTP/1.1", "Host: a"), 200),
    .open("M3.2.2 absolute, other Host", head("GET http://a/healthz HTTP/1.1", "Host: b"), 200),
    .closed("M3.2.2 absolute, no Host", head("GET http://a/healthz HTTP/1.1"), 400),
    .closed("S4.2.4 user information", head("GET http://u@a/healthz HTTP/1.1", "Host: a"), 400),
    .closed("S4.2.1 empty host", head("GET http:///healthz HTTP/1.1", "Host: a"), 400),
    .closed("M3.2.3 authority for GET", head("GET a:80 HTTP/1.1", "Host: a"), 400),
    .open(
      "M3.2.4 asterisk", head("OPTIONS * HTTP/1.1", "Host: h"), 204,
      has: "Allow: GET, HEAD, POST, OPTIONS", "!Content-Length"),
    .open("M3.2.4 absolute asterisk", head("OPTIONS http://a HTTP/1.1", "Host: a"), 204),
    .closed("M3.2.4 asterisk for GET", head("GET * HTTP/1.1", "Host: h"), 400),
  ]

  static let hosts: [RawCase] = [
    .closed("M3.2 none", head("GET /healthz HTTP/1.1"), 400),
    .closed("M3.2 none, HEAD has no body", head("HEAD /healthz HTTP/1.1"), 400),
    .closed("M3.2 two", get("Host: h"), 400),
    .closed("M3.2 two that differ", get("hOST: i"), 400),
    .closed("M3.2 empty", head("GET /healthz HTTP/1.1", "Host:"), 400),
    .closed("M3.2 list", head("GET /healthz HTTP/1.1", "Host: a, b"), 400),
    .closed("M3.2 path", head("GET /healthz HTTP/1.1", "Host: a/b"), 400),
    .closed("M3.2 user information", head("GET /healthz HTTP/1.1", "Host: u@a"), 400),
    .closed("M3.2 port that is none", head("GET /healthz HTTP/1.1", "Host: a:b"), 400),
    .open("M3.2 port", head("GET /healthz HTTP/1.1", "Host: a:8080"), 200),
    .open("M3.2 IPv6", head("GET /healthz HTTP/1.1", "Host: [::1]:8080"), 200),
    .closed("M3.2 IPv6 that is none", head("GET /healthz HTTP/1.1", "Host: [1:2]"), 400),
    .closed("M3.2 half a byte", head("GET /healthz HTTP/1.1", "Host: a%2"), 400),
    .closed("M3.2 two in HTTP/1.0", head("GET /healthz HTTP/1.0", "Host: a", "Host: a"), 400),
    .closed("M3.2 none in HTTP/1.0", head("GET /healthz HTTP/1.0"), 200),
  ]

  static let fieldLines: [RawCase] = [
    .closed("M5.1 space before the colon", get("A : b"), 400),
    .closed("M5.1 no colon", get("A"), 400),
    .closed("M5.1 no name", get(": b"), 400),
    .closed("M5.1 name that is no token", get("A(: b"), 400),
    .open("M5.1 blanks around a value", get("A:\t b \t", "B:"), 200),
    .closed("M5.1 NUL in a name", get("A\0: b"), 400),
    .closed("M5.2 folded line", get("A: b", " c"), 400),
    .closed("M5.2 folded by a tab", get("A: b", "\tc"), 400),
    .closed("M5.2 folded length", get("Content-Length:", " 3") + "abc", 400),
    .closed("S5.5 NUL in a value", get("A: \0"), 400),
    .closed("S5.5 control in a value", get("A: \u{1}"), 400),
    .open("S5.5 bytes above ASCII", get("A: é"), 200),
    .open("S5.4 fields as many as allowed", fields(127), 200),
    .closed("S5.4 one field more", fields(128), 431),
    .closed("S5.4 head too large", get("A: \(x(32 * 1024))"), 431),
  ]

  private static func fields(_ count: Int) -> String {
    head("GET /healthz HTTP/1.1", "Host: h" + String(repeating: "\r\nA: b", count: count))
  }

  private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

  static let lengths: [RawCase] = [
    .open("M6.2 body of GET is read and dropped", get("Content-Length: 3") + "abc", 200),
    .open("M6.2 as long as allowed", get("Content-Length: 65536") + x(65_536), 200),
    .closed("M6.2 longer", get("Content-Length: 65537"), 413),
    .closed("S8.6 differing", get("Content-Length: 3", "Content-Length: 4") + "abcd", 400),
    // RFC 9110 §8.6 lets a server refuse what another would read as one.
    .closed("S8.6 repeated", get("Content-Length: 3", "Content-Length: 3") + "abc", 400),
    .closed("S8.6 list", get("Content-Length: 3, 3") + "abc", 400),
    .closed("S8.6 sign", get("Content-Length: +3") + "abc", 400),
    .closed("S8.6 negative", get("Content-Length: -3") + "abc", 400),
    .closed("S8.6 decimals", get("Content-Length: 3.0") + "abc", 400),
    .closed("S8.6 two numbers", get("Content-Length: 3 3") + "abc", 400),
    .closed("S8.6 hexadecimal", get("Content-Length: 0x3") + "abc", 400),
    .closed("S8.6 empty", get("Content-Length:"), 400),
    .closed("S8.6 too many digits", get("Content-Length: 99999999999999999999"), 400),
    .open("S8.6 leading zeros", get("Content-Length: 0003") + "abc", 200),
  ]

  static let codings: [RawCase] = [
    .open("M6.1 chunked", get("Transfer-Encoding: chunked") + "3\r\nabc\r\n0\r\n\r\n", 200),
    .open("M6.1 any letter case", get("Transfer-Encoding: Chunked") + "0\r\n\r\n", 200),
    .closed(
      "M6.1 with a length", get("Content-Length: 5", "Transfer-Encoding: chunked") + "0\r\n\r\n",
      400),
    .closed(
      "M6.1 in HTTP/1.0",
      head("GET /healthz HTTP/1.0", "Host: h", "Transfer-Encoding: chunked") + "0\r\n\r\n", 400),
    .closed("M6.1 unknown", get("Transfer-Encoding: gzip, chunked") + "0\r\n\r\n", 501),
    .closed("M6.1 unknown alone", get("Transfer-Encoding: identity"), 501),
    .closed("M6.1 unknown with chunked inside", get("Transfer-Encoding: xchunked"), 501),
    .closed("M6.1 control before", get("Transfer-Encoding: \u{B}chunked"), 400),
    .closed(
      "M6.1 lines of one list", get("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"), 501),
    .closed(
      "M7.1 chunked twice on lines",
      get("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + "0\r\n\r\n", 400),
    .closed("M6.3 chunked is not last", get("Transfer-Encoding: chunked, gzip"), 400),
    .closed("M7.1 chunked twice", get("Transfer-Encoding: chunked, chunked"), 400),
    .closed("M7.1 parameter of chunked", get("Transfer-Encoding: chunked;a=b"), 400),
    .closed("M5.1 space before the colon", get("Transfer-Encoding : chunked"), 400),
    .open("M7.1 leading zeros", chunks("00000000000000000001\r\na\r\n000\r\n\r\n"), 405),
    .open("M7.1.1 extensions", chunks("1;a;b=c ; d = \"e\\\"\"\r\na\r\n0;f\r\n\r\n"), 405),
    .open("M7.1.2 trailer", chunks("0\r\nA: b\r\nHost: i\r\n\r\n"), 405),
    .closed("M7.1 no size", chunks("\r\n"), 400),
    .closed("M7.1 no number", chunks("g\r\n"), 400),
    .closed("M7.1 prefix", chunks("0x1\r\na\r\n0\r\n\r\n"), 400),
    .closed("M7.1 sign", chunks("+1\r\na\r\n0\r\n\r\n"), 400),
    .closed("M7.1 space behind", chunks("1 \r\na\r\n0\r\n\r\n"), 400),
    .closed("M7.1 overflow", chunks("8000000000000000\r\n"), 400),
    .closed("M7.1 too large", chunks("FFFFFFF\r\n"), 413),
    .closed("M7.1 bare LF", chunks("1\na\r\n0\r\n\r\n"), 400),
    .closed("M7.1 bare LF behind data", chunks("1\r\na\n0\r\n\r\n"), 400),
    .closed("M7.1 bare LF at the end", chunks("0\r\n\n"), 400),
    .closed("M7.1 negative", chunks("-1\r\na\r\n0\r\n\r\n"), 400),
    .closed("M7.1 data longer than said", chunks("1\r\nab\r\n0\r\n\r\n"), 400),
    .closed("M7.1.1 bare CR", chunks("1;a\r\n\rb\r\n"), 400),
    .closed("M7.1.2 bad trailer", chunks("0\r\nA b\r\n\r\n"), 400),
  ]

  static let connections: [RawCase] = [
    .closed("M9.6 close", get("Connection: close"), 200, has: "Connection: close"),
    .closed("M9.6 close among others", get("Connection: , a, CLOSE"), 200),
    .open("M9.3 stays", get(), 200, has: "!Connection"),
    .closed("M9.3 HTTP/1.0", head("GET /healthz HTTP/1.0"), 200, has: "Connection: close"),
    .open(
      "M9.3 HTTP/1.0 that asks to stay",
      head("GET /healthz HTTP/1.0", "Connection: keep-alive"), 200,
      has: "Connection: keep-alive"),
    .open(
      "M9.3.2 pipelined", get() + head("HEAD /v1 HTTP/1.1", "Host: h") + get(), 200, 200, 200),
    .open("M9.3.2 a 404 between", get() + head("OPTIONS /x HTTP/1.1", "Host: h"), 200, 404),
    .closed("M9.3.2 nothing behind close", get("Connection: close") + get(), 200),
    .closed("M9.3.2 nothing behind a refusal", get() + "BAD\r\n\r\n" + get(), 200, 400),
  ]
}
