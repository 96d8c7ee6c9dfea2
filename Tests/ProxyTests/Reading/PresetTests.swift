import HTTP
import JSONBytes
import Testing
import Wire

/// The presets of vendors whose servers cannot be started here, against stand-ins.
@Suite(.serialized) struct PresetTests {
  private func withStand(
    _ vendor: VendorAPI, _ body: (RecipeStand, RuledUpstream) throws -> Void
  ) async throws {
    let upstream = try await RuledUpstream(answering: vendor.answer)
    let stand = try await RecipeStand(
      """
      {"kind":"http","preset":"\(vendor.preset)","auth":null,
      "baseURL":"http://127.0.0.1:\(upstream.port)\(vendor.base)"}
      """)
    let result = Result { try body(stand, upstream) }
    await stand.stop()
    await upstream.stop()
    try result.get()
  }

  static let vendors: [VendorAPI] = [
    .gitlab(tellsTotal: true), .gitlab(tellsTotal: false), .gitlabKeyset, .mastodonStatuses,
    .mastodonFollowers, .stripe, .stackExchange(),
  ]

  /// The identities that a walk is given, up to its end, to what is no slice, or to a gap.
  private func walk(_ vendor: VendorAPI, _ stand: RecipeStand) throws -> [String] {
    var (ids, next): ([String], String?) = ([], "/v1/s/\(vendor.feed)?limit=100")
    while let target = next {
      let reply = try stand.client.get(target)
      guard reply.status == 200 else { return ids + ["status \(reply.status)"] }
      let slice = try SliceReply(numbered: reply.body)
      ids += try slice.items.map { item in
        String(
          decoding: item[try JSON.member(vendor.key, of: item[...]) ?? 0..<0], as: UTF8.self)
      }
      if slice.envelope.gap != nil { return ids + ["gap"] }
      next = slice.envelope.next
    }
    return ids
  }

  @Test(arguments: vendors)
  func aPresetShowsEachElementOnceAndInOrder(vendor: VendorAPI) async throws {
    try await withStand(vendor) { stand, _ in
      let ids = try walk(vendor, stand)
      #expect(ids == (0..<vendor.count).map(vendor.id))
    }
  }

  @Test(arguments: vendors)
  func aPresetAsksForFewPages(vendor: VendorAPI) async throws {
    try await withStand(vendor) { stand, upstream in
      _ = try walk(vendor, stand)
      #expect(upstream.calls.count <= vendor.callsMax)
    }
  }

  /// api.stackexchange.com/docs/throttle: not to ask the same method again before the time is over.
  @Test func stackExchangeIsNotAskedDuringABackoff() async throws {
    try await withStand(.stackExchange(backoff: #","backoff":60"#)) { stand, upstream in
      let first = try stand.client.get("/v1/s/questions?limit=100")
      let next = try #require(try SliceReply(numbered: first.body).envelope.next)
      #expect(try stand.client.get(next).status == 503)
      #expect(upstream.calls.count == 1)
    }
  }
}
