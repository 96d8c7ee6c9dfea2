import Feed
import Foundation
import Glibc
import JSONBytes
import Support
import Testing

@testable import Upstream

/// Answers of the real Qiita, recorded by others, served over a socket and read as pages.
///
/// The recordings lie beside the repository, in `../shared/data/qiita`, and are not part of it.
@Suite(.serialized) struct RecordingTests {
  private static let directory = Checkout.recordings.path

  private static let names = [
    "items_2017-05_per30", "items_2018-03-24_page1_per20", "items_2025-12-07T20-06_page1_per20",
    "items_2025-12-09T15-24_page1_per20", "items_2025-12-11T13-46_page1_per20",
    "items_2025-12-11T17-51_page1_per5", "items_query_2016-06_per20",
    "tag_items_ggplot2_2015-08", "authenticated_user_items_2017-05",
    "authenticated_user_items_ningenMe_2023-12",
  ]

  private static var areThere: Bool { access(directory, R_OK) == 0 }

  @Test(.enabled(if: areThere, "the recordings are missing"), arguments: names)
  func relaysRecordingByteForByte(name: String) async throws {
    let body = try #require(bytes(of: "\(Self.directory)/\(name).json"))
    let feed =
      name.hasPrefix("tag") ? FeedID.qiita("tags/:id/items", "tags", "ggplot2", "items") : .items
    let fetched = try await firstPage(
      [.head("HTTP/1.1 200 OK\nContent-Length: \(body.count)"), .bytes(body)], of: feed)
    let page = try fetched.result.get()
    let elements = try JSON.elements(of: body).map { Array(body[$0]) }
    #expect(page.items.map(\.item.bytes) == elements)
    #expect(page.items.allSatisfy { $0.item.key != nil && $0.item.updatedAt != nil })
    #expect(page.count == elements.count)
  }

  private func bytes(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }
}
