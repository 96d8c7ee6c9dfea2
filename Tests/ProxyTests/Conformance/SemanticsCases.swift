/// RFC 9110: what requests mean.
extension RawCase {
  static let methods: [RawCase] = [
    .open("S9.3.1 GET", slice(), 200, has: "ETag: TAG", "Content-Length"),
    .open("S9.3.2 HEAD", slice(method: "HEAD"), 200, has: "ETag: TAG", "Content-Length"),
    .open("S9.3.2 HEAD of nothing", head("HEAD /nowhere HTTP/1.1", "Host: h"), 404),
    .open(
      "S9.3.7 OPTIONS", slice(method: "OPTIONS"), 204, has: "Allow: GET, HEAD, OPTIONS",
      "!Content-Length"),
    .open("S9.1 PUT", slice(method: "PUT"), 405, has: "Allow: GET, HEAD, OPTIONS"),
    .open("S9.1 DELETE", slice(method: "DELETE"), 405, has: "Allow: GET, HEAD, OPTIONS"),
    .open("S9.1 PATCH", slice(method: "PATCH"), 405, has: "Allow: GET, HEAD, OPTIONS"),
    .open("S9.1 POST", slice("Content-Length: 0", method: "POST"), 405),
    .open("S9.1 POST with a body", slice("Content-Length: 3", method: "POST") + "abc", 405),
    // §9.1: 405 is for a method that some resource here takes; these two none does.
    .closed("S9.3.6 CONNECT", head("CONNECT h:80 HTTP/1.1", "Host: h:80"), 501),
    .closed("S9.3.8 TRACE", slice(method: "TRACE"), 501),
    .closed("S9.1 unknown", slice(method: "BREW"), 501),
    .closed("M6 framing before the method", slice("Content-Length: x", method: "BREW"), 400),
    .closed("M6 framing before the path", head("GET /nowhere HTTP/1.1", "Host: h", "Host: i"), 400),
  ]

  static let expectations: [RawCase] = [
    .closed("S10.1.1 unknown", get("Expect: tea"), 417),
    .open(
      "S10.1.1 nothing to wait for", get("Expect: 100-continue"), 200),
    .open(
      "S10.1.1 body that has come", get("Expect: 100-Continue", "Content-Length: 3") + "abc", 200),
    .closed("S10.1.1 too large", get("Expect: 100-continue", "Content-Length: 65537"), 413),
    .closed(
      "S10.1.1 ignored in HTTP/1.0", head("GET /healthz HTTP/1.0", "Expect: 100-continue"), 200),
  ]

  static let conditions: [RawCase] = [
    .open(
      "S13.1.2 tag", slice("If-None-Match: TAG"), 304,
      has: "ETag: TAG", "Cache-Control", "Vary: Accept-Encoding", "!Content-Type",
      "!Content-Length"),
    .open("S13.1.2 weak comparison", slice("If-None-Match: STRONG"), 304),
    .open("S13.1.2 list", slice("If-None-Match: \"a\", , W/\"b,\" ,TAG"), 304),
    .open("S13.1.2 lines", slice("If-None-Match: \"a\"", "If-None-Match: TAG"), 304),
    .open("S13.1.2 any", slice("If-None-Match: *"), 304),
    .open("S13.1.2 HEAD", slice("If-None-Match: TAG", method: "HEAD"), 304),
    .open("S13.1.2 other", slice("If-None-Match: \"a\""), 200),
    .open("S13.1.2 no tag", slice("If-None-Match: a"), 200),
    .open("S13.1.1 any", slice("If-Match: *"), 200),
    .open("S13.1.1 strong comparison", slice("If-Match: TAG"), 412),
    .open("S13.1.1 other", slice("If-Match: \"a\""), 412),
    .open("S13.2.2 If-Match goes first", slice("If-None-Match: TAG", "If-Match: \"a\""), 412),
    .open(
      "S13.1.3 no date is known", slice("If-Modified-Since: Sat, 01 Jan 2050 00:00:00 GMT"), 200),
    .open(
      "S13.2.1 not where there is nothing",
      head("GET /nowhere HTTP/1.1", "Host: h", "If-None-Match: *", "If-Match: \"a\""), 404),
    .open("S14.2 Range is ignored", slice("Range: bytes=0-3"), 200, has: "!Content-Range"),
    .open("S14.2 If-Range too", slice("Range: bytes=0-3", "If-Range: TAG"), 200),
  ]

  static let others: [RawCase] = [
    .open("S12.5.3 gzip", slice("Accept-Encoding: gzip"), 200, has: "Content-Encoding: gzip"),
    .open(
      "S12.5.3 gzip for HEAD", slice("Accept-Encoding: gzip", method: "HEAD"), 200,
      has: "Content-Encoding: gzip", "Vary: Accept-Encoding"),
    .open("S12.5.3 not gzip", slice("Accept-Encoding: gzip;q=0"), 200, has: "!Content-Encoding"),
    .open("S12.5.1 another type is wished", slice("Accept: text/html"), 200),
    .open("S7.8 upgrade is ignored", get("Connection: Upgrade", "Upgrade: h2c"), 200),
    .open("S5.3 lines of one list", get("Accept: a", "Accept: b"), 200),
    .open("RFC 3986 §2.1 bad escape", head("GET /v1/%zz HTTP/1.1", "Host: h"), 400),
    .open("RFC 3986 §5.2.4 dots", head("GET /v1/qiita/../items HTTP/1.1", "Host: h"), 400),
    .open("RFC 3986 §5.2.4 dots", head("GET /v1/%2e%2e/items HTTP/1.1", "Host: h"), 400),
  ]
}
