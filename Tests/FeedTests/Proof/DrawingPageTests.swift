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

  /// Each window shows what the drawn upstream has there, and proves what the page says.
  @Test func provesWhatIsDrawn() throws {
    let drawings = try Self.drawings()
    #expect(drawings.count >= 3)
    for drawing in drawings {
      let ledger = Ledger()
      var upstream: [String] = []
      for (number, line) in drawing.enumerated() {
        switch line {
        case .upstream(let marks): upstream = marks
        case .window(let window, let shown, let proven):
          let ranks = (window.firstRank..<window.endRank).clamped(to: upstream.indices)
          #expect(Array(upstream[ranks]) == shown)
          try ledger.lay(
            evidence(
              shown.joined(separator: " "), page: window.page, perPage: window.perPage,
              hasNext: window.endRank < upstream.count, sentAt: 1_000 + 100 * Int64(number)))
          #expect(ledger.drawing == proven)
        }
      }
    }
  }

  private static func drawings() throws -> [[Line]] {
    let page = try Checkout.text(of: path)
    return try fencedBlocks("drawing", of: page).map { try $0.split(separator: "\n").map(line) }
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
