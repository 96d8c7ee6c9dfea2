import JSONBytes

/// The parts of `…:status` that `warm` shows.
struct WarmStatus: Equatable {
  /// The feed's size; nil until the upstream said.
  var total: Int?
  /// The calls of an hour; nil until the upstream said.
  var limit: Int?
  /// The calls left.
  var remaining: Int
  /// When they are as many as ever again.
  var resetAt: String?

  /// `978 of 1000 calls left`
  var calls: String { "\(remaining)\(limit.map { " of \($0)" } ?? "") calls left" }

  /// Reads the body of `…:status`. Unknown members are passed over.
  ///
  /// - Throws: what `JSON` finds wrong; `.notAWholeNumber` when it does not tell the calls left.
  init(body: [UInt8]) throws(JSONError) {
    let body = body[...]
    total = try WarmStatus.number(["total", "value"], of: body)
    limit = try WarmStatus.number(["budget", "limit"], of: body)
    resetAt = try WarmStatus.text(["budget", "resetAt"], of: body)
    guard let remaining = try WarmStatus.number(["budget", "remaining"], of: body) else {
      throw .notAWholeNumber
    }
    self.remaining = remaining
  }

  private static func value(
    _ path: [String], of body: ArraySlice<UInt8>
  ) throws(JSONError) -> ArraySlice<UInt8>? {
    guard let range = try JSON.member(at: path, of: body), body[range] != null else { return nil }
    return body[range]
  }

  private static let null = ArraySlice("null".utf8)

  private static func number(
    _ path: [String], of body: ArraySlice<UInt8>
  ) throws(JSONError) -> Int? {
    try value(path, of: body).map { (value) throws(JSONError) in Int(try JSON.wholeNumber(value)) }
  }

  private static func text(
    _ path: [String], of body: ArraySlice<UInt8>
  ) throws(JSONError) -> String? {
    try value(path, of: body).map { (value) throws(JSONError) in
      String(decoding: try JSON.text(value), as: UTF8.self)
    }
  }
}
