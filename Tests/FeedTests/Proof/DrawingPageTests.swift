import Foundation
import History
import Support
import Testing

@testable import Feed

/// The drawings of the page *Proving adjacency*, replayed through the real rules.
@Suite struct DrawingPageTests {
  /// One line of a drawing.
  private enum Line {
    /// What the upstream has from now on.
    case upstream([String])
    /// What a window shows, and what is proven after it.
    case window(Window, shows: [String], proven: String)
  }

  private static let path = "Sources/Feed/Feed.docc/ProvingAdjacency.md"

  /// How the answers of a drawing are laid in.
  private enum Kind: String, CaseIterable {
    /// By their elements' seconds.
    case drawing
    /// The same, and what one window cannot show of a second is counted.
    case counting
    /// By what is known of their elements.
    case sight
  }

  /// Each window shows what the drawn upstream has there, and proves what the page says.
  @Test(arguments: Kind.allCases) private func provesWhatIsDrawn(kind: Kind) throws {
    let drawings = try Self.drawings(kind)
    #expect(drawings.count >= (kind == .drawing ? 3 : 1))
    for drawing in drawings {
      let ledger = kind == .sight ? Ledger(of: Self.observed) : Ledger()
      var upstream: [String] = []
      for (number, line) in drawing.enumerated() {
        switch line {
        case .upstream(let marks): upstream = marks
        case .window(let window, let shown, let proven):
          let ranks = (window.firstRank..<window.endRank).clamped(to: upstream.indices)
          #expect(Array(upstream[ranks]) == shown)
          try Self.lay(
            shown.joined(separator: " "), window, hasNext: window.endRank < upstream.count,
            total: upstream.count, sentAt: 1_000 + 100 * Int64(number), kind, in: ledger)
          #expect(ledger.drawing == proven)
        }
      }
    }
  }

  private static let observed = FeedID(
    source: "qiita", pattern: FeedPattern("tags/:id/items", order: .observed),
    parts: ["tags", "a", "items"].map { Array($0.utf8) })

  private static func lay(
    _ shown: String, _ window: Window, hasNext: Bool, total: Int, sentAt: Int64, _ kind: Kind,
    in ledger: Ledger
  ) throws {
    let evidence = evidence(
      shown, page: window.page, perPage: window.perPage, hasNext: hasNext, sentAt: sentAt)
    switch kind {
    case .drawing: try ledger.lay(evidence)
    case .counting: try ledger.layCounting(evidence, total: total)
    case .sight:
      try ledger.lay(
        page(shown, hasNext: hasNext), to: window, sentAt: Timestamp(seconds: sentAt))
    }
  }

  private static func drawings(_ kind: Kind) throws -> [[Line]] {
    let page = try Checkout.text(of: path)
    return try fencedBlocks(kind.rawValue, of: page).map { try $0.split(separator: "\n").map(line) }
  }

  private static func line(_ text: Substring) throws -> Line {
    let parts = text.components(separatedBy: "proves")
    let words = parts[0].split(separator: " ").map(String.init)
    let first = try #require(words.first)
    if first == "upstream" { return .upstream(Array(words.dropFirst())) }
    let numbers = first.split(separator: "×").compactMap { Int($0) }
    try #require(numbers.count == 2 && parts.count == 2, "not a line of a drawing: \(text)")
    return .window(
      Window(page: numbers[0], perPage: numbers[1]), shows: Array(words.dropFirst()),
      proven: parts[1].trimmingCharacters(in: .whitespaces))
  }
}
