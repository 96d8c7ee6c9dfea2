import HTTP
import Wire

/// A list as a reader is given it, through the whole server, of an upstream that answers as a test
/// says.
struct ReadList {
  /// The identities, in the order in which they came, with a blank between them.
  var ids: [String] = []
  /// The status of each reply that brought no slice.
  var refusals: [Int] = []
  /// Why the last slice has no more; nil where it has.
  var endReason: String?
  /// How many of the slices end at a gap.
  var gapCount = 0
  /// What the last slice rests on.
  var proof: String?
  /// How many elements the upstream says there are, by the last slice.
  var total: Int?
  /// The lines of `/metrics` that tell of a recipe in doubt.
  var doubts: [String] = []
  /// What the upstream was asked.
  var calls: [RuledUpstream.Call] = []

  /// Reads the list of a source with these keys of its feed and of its pages, `limit` elements at a
  /// time, until it ends or 3 replies brought nothing.
  init(
    feed: String = #""items":"items""#, pages: String, base: String = "", limit: Int = 30,
    rest: String = "", answering rule: @escaping @Sendable (RuledUpstream.Call) -> Response
  ) async throws {
    let upstream = try await RuledUpstream(answering: rule)
    let stand = try await RecipeStand(
      """
      {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)\(base)",
      "pages":{\(pages)},"feeds":{"items":{\(feed)}}\(rest)}
      """)
    try await self.init(stand, limit: limit)
    let metrics = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
    doubts = metrics.split(separator: "\n").map(String.init).filter {
      $0.hasPrefix("tsugi_recipe_doubtful{") && !$0.hasSuffix(" 0")
    }
    calls = upstream.calls
    await stand.stop()
    await upstream.stop()
  }

  /// Reads the list that a server has.
  init(_ stand: RecipeStand, limit: Int) async throws {
    var next: String? = "/v1/s/items?limit=\(limit)"
    var requests = 0
    while let target = next, refusals.count < 3, requests < 40 {
      requests += 1
      let reply = try stand.client.get(target)
      guard reply.status == 200 else {
        refusals.append(reply.status)
        let pause = reply["Retry-After"].flatMap { Int($0) } ?? 0
        if pause <= 2 { try await stand.wait(for: .seconds(pause)) }
        continue
      }
      let slice = try reply.slice()
      ids += slice.ids
      gapCount += slice.envelope.gap == nil ? 0 : 1
      (endReason, proof) = (slice.envelope.endReason, slice.envelope.proof)
      (total, next) = (slice.envelope.total?.value, slice.envelope.next)
    }
  }
}

extension RuledUpstream.Call {
  /// The index of the first element of ``Response/elements(_:_:)`` that it asks for, in pages of
  /// `size`: by `page`, `offset`, `after` or `until`, where `isShown` the one that it names, too.
  func first(inPagesOf size: Int, isShown: Bool = false) -> Int {
    if let after = parameters["after"] { return (Int(after.dropFirst()) ?? 0) + (isShown ? 0 : 1) }
    if parameters["until"] != nil { return max(0, 1_700_000_000 - number("until", or: 0) + 6) / 7 }
    return number("offset", or: (number("page", or: 1) - 1) * size)
  }

  /// The port it came to, as it says itself.
  var port: String {
    let host = fields.first { $0.lowercased().hasPrefix("host: ") }
    return host?.split(separator: ":").last.map(String.init) ?? ""
  }
}

extension Response {
  /// A JSON answer with these fields.
  init(json: String, status: Status = 200, _ fields: [(String, String)] = []) {
    var all = Fields()
    all.append(named: "content-type", "application/json")
    for (name, value) in fields { all.append(named: name, value) }
    self.init(status: status, fields: all, body: Array(json.utf8))
  }

  /// The elements of some numbers under `items`, and what else the object has.
  static func elements(_ numbers: some Sequence<Int>, _ rest: String = "") -> String {
    let items = numbers.map { #"{"id":"i\#($0)","at":\#(1_700_000_000 - $0 * 7)}"# }
    return #"{"items":[\#(items.joined(separator: ","))]\#(rest)}"#
  }
}
