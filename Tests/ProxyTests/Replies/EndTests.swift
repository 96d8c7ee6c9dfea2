import Support
import Testing
import Wire

/// Lists whose pages are smaller than they are asked for, over the wire: what tells their end.
@Suite(.serialized) struct EndTests {
  /// What an API tells of the end of its list.
  enum Evidence: CaseIterable, Sendable {
    case total, totalTooLarge, totalTooSmall, nothing, flag, endlessFlag
  }

  private static let count = 130

  /// The pages of an upstream that gives 30 elements at most.
  private static func page(
    _ call: RuledUpstream.Call, _ by: String, _ evidence: Evidence
  ) -> String {
    let size = min(call.number("size", or: 30), 30)
    let first =
      by == "page" ? (call.number("page", or: 1) - 1) * size : call.number("offset", or: 0)
    let numbers = min(first, count)..<min(first + size, count)
    let items = numbers.map { #"{"id":"i\#($0)","at":\#(1_700_000_000 - 7 * $0)}"# }
    let hasMore = numbers.upperBound < count
    let rest =
      switch evidence {
      case .total: #""total":\#(count)"#
      case .totalTooLarge: #""total":9000"#
      case .totalTooSmall: #""total":\#(items.count - 1)"#
      case .nothing: #""total":null"#
      case .flag: #""more":\#(hasMore)"#
      case .endlessFlag: #""total":\#(count),"more":true"#
      }
    return #"{"items":[\#(items.joined(separator: ","))],\#(rest)}"#
  }

  @Test(arguments: Extent.pairs(["page", "offset"], Evidence.allCases).sample(6))
  func everyElementComesBeforeTheEnd(by: String, evidence: Evidence) async throws {
    for order in ["-at", "observed"] {
      let upstream = try await RuledUpstream { Self.page($0, by, evidence) }
      let more =
        [.flag, .endlessFlag].contains(evidence) ? #","more":"more""# : ""
      let time = order == "-at" ? #","time":"seconds""# : ""
      let stand = try await RecipeStand(
        """
        {"kind":"http","baseURL":"http://127.0.0.1:\(upstream.port)",
        "pages":{"by":"\(by)","size":"size","max":100,"total":"total"\(more)},
        "feeds":{"items":{"items":"items","order":"\(order)"\(time)}}}
        """)
      var (ids, next): ([String], String?) = ([], "/v1/s/items?limit=100")
      var reasons: [String?] = []
      while let target = next, reasons.count < 20 {
        let reply = try stand.client.get(target)
        #expect(reply.status == 200, "\(order)")
        guard reply.status == 200 else { break }
        let slice = try reply.slice()
        ids += slice.ids
        reasons.append(slice.envelope.endReason)
        next = slice.envelope.next
      }
      #expect(ids == (0..<Self.count).map { "i\($0)" }, "\(order)")
      // The upstream counts more than it shows.
      let reason = evidence == .totalTooLarge ? "upstreamLimit" : "end"
      #expect(reasons.last == reason && reasons.dropLast().allSatisfy { $0 == nil }, "\(order)")
      #expect(upstream.calls.count <= 12, "\(order): \(upstream.calls.count)")
      await stand.stop()
      await upstream.stop()
    }
  }
}
