@testable import HTTP

/// What a parser made of an input, in a form that compares.
struct Parsed: Equatable, CustomStringConvertible {
  var requests: [String] = []
  var refusal: Refusal?
  /// The bytes used up by whole requests and by the part of a body that has come.
  var closes = false
  var isBetweenRequests = true

  var description: String {
    "\(requests) \(refusal.map { "\($0.status.code) \($0.detail)" } ?? "-") closes: \(closes)"
  }

  /// Feeds `pieces` to one parser, giving unused bytes again as its owner would.
  init(_ pieces: [[UInt8]], limits: Limits = Limits()) {
    var parser = RequestParser()
    var held: [UInt8] = []
    for piece in pieces {
      held += piece
      let used = held.withUnsafeBytes { parse($0, &parser, limits) }
      if refusal != nil { return }
      held.removeFirst(used)
    }
    isBetweenRequests = parser.isBetweenRequests
  }

  init(_ text: String, limits: Limits = Limits()) {
    self.init([Array(text.utf8)], limits: limits)
  }

  private mutating func parse(
    _ bytes: UnsafeRawBufferPointer, _ parser: inout RequestParser, _ limits: Limits
  ) -> Int {
    var position = 0
    while true {
      switch parser.parse(bytes, from: &position, limits: limits, peer: .loopback) {
      case .incomplete: return position
      case .refused(let refusal):
        self.refusal = refusal
        return position
      case .request(let request):
        closes = parser.closes
        requests.append(Self.text(request))
      }
    }
  }

  /// `GET h /path?query [Name: value] "body"`, with only what is there.
  private static func text(_ request: Request) -> String {
    let fields = request.fields.filter { $0.name.lowercased() != "host" }
      .map { "[\($0.name): \($0.value)]" }
    let body = request.body.isEmpty ? [] : ["\"\(String(decoding: request.body, as: UTF8.self))\""]
    let target = request.path + (request.query.map { "?\($0)" } ?? "")
    let parts = [request.method.rawValue, request.authority, target] + fields + body
    return parts.joined(separator: " ")
  }
}
