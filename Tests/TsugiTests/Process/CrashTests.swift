import Foundation
import Glibc
import JSONBytes
import Support
import Testing
import Upstream

/// A server that is killed in the middle of a walk, and started again on the same store.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CrashTests {
  @Test(arguments: (1...4).sample(2))
  func aWalkGoesOnAfterKill9(seed: Int) async throws {
    let upstream = try RunningCommand([
      "simulate", "--port", "0", "--items", "700", "--seed", "\(seed)",
    ])
    let base = try #require(try await upstream.servedAddress())
    let store = FileManager.default.temporaryDirectory.appending(
      path: "\(UUID().uuidString).sqlite")
    defer {
      for suffix in ["", "-wal", "-shm", "-lock"] {
        try? FileManager.default.removeItem(atPath: store.path + suffix)
      }
    }
    let config = """
      {"store": {"path": "\(store.path)"}, "sources": {"qiita": {"baseURL": "\(base)"}}}
      """
    let client = try UpstreamClient(version: "test")
    var ids: [String] = []
    var next: String? = "/v1/qiita/items?limit=\(20 + seed * 13)"
    while let target = next {
      let serve = try RunningCommand(["serve", "--port", "0"], files: ["config.json": config])
      let url = try await address(of: serve)
      var reached: String? = target
      // Two slices, then killed while a third is under way.
      for _ in 0..<2 {
        guard let target = reached else { break }
        let reply = try await client.reply(from: url + target)
        let slice = try Slice(reply.body)
        ids += slice.ids
        reached = slice.next
      }
      if let target = reached {
        let underWay = Task { try await client.reply(from: url + target) }
        if ids.count % 2 == 0 { await Task.yield() } else { usleep(UInt32(seed) * 4_000) }
        serve.signal(SIGKILL)
        _ = await underWay.result
        // The store is let go when the process has ended, not when it was told to.
        #expect(await serve.exitCode() == -SIGKILL)
      }
      next = reached
    }
    #expect(Set(ids).count == ids.count)
    // The newest item is as young as the upstream: its second was still open at the first look.
    let truth = try await truth(at: base, client)
    #expect(ids == Array(truth.suffix(ids.count)))
    #expect(ids.count >= truth.count - 1)
  }

  /// The ids of the upstream, which stands still, by its own pages.
  private func truth(at base: String, _ client: UpstreamClient) async throws -> [String] {
    var ids: [String] = []
    for page in 1...7 {
      let body = try await client.reply(from: "\(base)/items?page=\(page)&per_page=100").body
      ids += try JSON.elements(of: body).map { try id(of: body[$0]) }
    }
    return ids
  }

  private struct Slice {
    var ids: [String]
    var next: String?

    init(_ body: [UInt8]) throws {
      let items = try #require(try JSON.member("items", of: body[...]))
      ids = try JSON.elements(of: body[items]).map { try id(of: body[$0]) }
      let text = try #require(try JSON.member("next", of: body[...]))
      next =
        body[text].first == UInt8(ascii: "n")
        ? nil : String(decoding: try JSON.text(body[text]), as: UTF8.self)
    }
  }
}

private func id(of item: ArraySlice<UInt8>) throws -> String {
  let range = try #require(try JSON.member("id", of: item))
  return String(decoding: try JSON.text(item[range]), as: UTF8.self)
}
