import Foundation
import Glibc
import HTTP
import Simulator
import Support
import Testing

@testable import Proxy

/// Many clients listen while the feed changes without pause.
@Suite(.serialized) struct ManyListenersTests {
  private static let listenerCount = Extent.isAll ? 1_000 : 300
  private static let roundCount = Extent.isAll ? 20 : 10
  private static let changesARound = 20

  /// 200 changes a second: each client gets each once, and in order.
  @Test func everyListenerGetsEveryChangeOnceAndInOrder() async throws {
    #expect(DescriptorLimit.raise(to: 4_096) >= 2 * Self.listenerCount + 200)
    try await Stand.run(try await ChangesTests.stand()) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=5")
      let clients = try (0..<Self.listenerCount).map { _ in
        try EventClient(stand.client.port, "/v1/qiita/items:events")
      }
      for client in clients { _ = try client.next() }
      let (descriptors, begun) = (clients.map(\.descriptor), clients.map(\.bytes))
      let reader = Task.detached { try Self.read(descriptors, begun) }
      var inserted: [String] = []
      // Two a second: where one has more than a window shows, they wait for a reader to count it.
      let oldest = settled - 200
      for _ in 0..<Self.roundCount {
        inserted += stand.qiita.withQiita { qiita in
          (0..<Self.changesARound).map { number in
            qiita.world.insert(at: oldest + Int64(inserted.count + number) / 2)
          }
        }
        #expect(try stand.client.post("/v1/qiita/items:refresh").status == 200)
        try await Task.sleep(for: .milliseconds(100))
      }
      let texts = try await reader.value
      let told = try Self.changes(in: texts[0])
      #expect(Set(told.map(\.id)) == Set(inserted))
      #expect(told.count == inserted.count)
      #expect(zip(told, told.dropFirst()).allSatisfy { $0.number < $1.number })
      #expect(texts.allSatisfy { $0 == texts[0] })
      withExtendedLifetime(clients) {}
    }
  }

  /// All that comes until each has as many events as there are changes; signs of life left out.
  private static func read(_ descriptors: [Int32], _ begun: [[UInt8]]) throws -> [[UInt8]] {
    var texts = begun
    var counts = texts.map { events(in: $0[...]) }
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let goal = roundCount * changesARound
    while counts.contains(where: { $0 < goal }) {
      guard poll(&polled, nfds_t(polled.count), 20_000) > 0 else {
        throw Client.Failure.system("poll", errno)
      }
      for index in polled.indices where polled[index].revents != 0 {
        let count = recv(polled[index].fd, &buffer, buffer.count, 0)
        guard count > 0 else { throw Client.Failure.system("recv", errno) }
        // A sign of life may come with events in one piece.
        let piece = buffer[..<count].replacing(EventText.comment, with: [])
        texts[index] += piece
        // What is cut in the middle is counted with what comes next.
        counts[index] += events(in: texts[index][max(0, texts[index].count - piece.count - 1)...])
        if counts[index] >= goal { polled[index].fd = -1 }
      }
    }
    return texts
  }

  private static func events(in text: ArraySlice<UInt8>) -> Int {
    text.withUnsafeBytes { bytes in
      var count = 0
      for index in 1..<max(1, bytes.count) where bytes[index] == 0x0a && bytes[index - 1] == 0x0a {
        count += 1
      }
      return count
    }
  }

  private static func changes(in text: [UInt8]) throws -> [(number: Int, id: String?)] {
    try String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      guard line.hasPrefix("data: ") else { return nil }
      let change = try JSONDecoder().decode(
        ChangesTests.Body.Change.self, from: Data(line.dropFirst(6).utf8))
      return (Int(change.seq.split(separator: ".").last ?? "") ?? 0, change.item?.id)
    }
  }
}
