import Foundation
import Glibc
import Testing
import Upstream

/// `tsugi warm` as a process, against the demo.
@Suite(.timeLimit(.minutes(10))) struct WarmCommandTests {
  private static let demo = ["serve", "--demo", "--demo-items", "300", "--port", "0"]

  @Test func fillsAFeedToItsEnd() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve) + "/v1/qiita/items"
    let warm = try RunningCommand(["warm", url])
    #expect(await warm.exitCode() == 0)
    let outcome = String(decoding: try warm.output(), as: UTF8.self)
    let found = try #require(
      outcome.wholeMatch(
        of: /([0-9]+) items are stored, endReason: end; ([0-9]+) of 5000 calls left until .*Z\n/))
    // The demo drifts by some items while it is read, and never serves its newest second.
    #expect((280...320).contains(Int(found.1) ?? 0))
    #expect((4980...4998).contains(Int(found.2) ?? 0))
    #expect(warm.errorText.last?.hasPrefix("\(found.1) of \(found.1) items, ") == true)
    // Nobody has to ask the upstream any more.
    let stored = try RunningCommand(["walk", url + "?limit=100&wait=0"])
    #expect(await stored.exitCode() == 0)
    #expect(try stored.output().count { $0 == UInt8(ascii: "\n") } >= 280)
  }

  @Test func fillsNoMoreThanIsWanted() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve) + "/v1/qiita/items"
    let warm = try RunningCommand(["warm", url, "--items", "20"])
    #expect(await warm.exitCode() == 0)
    let outcome = String(decoding: try warm.output(), as: UTF8.self)
    #expect(outcome.hasPrefix("20 items are stored; "))
  }

  @Test func fillsASearch() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve) + "/v1/qiita/items?query=nothing-has-this-word"
    let warm = try RunningCommand(["warm", url])
    #expect(await warm.exitCode() == 0)
    let outcome = String(decoding: try warm.output(), as: UTF8.self)
    #expect(outcome.hasPrefix("0 items are stored, endReason: end; "))
  }

  @Test func endsWithTheServersProblem() async throws {
    let serve = try RunningCommand(Self.demo)
    let warm = try RunningCommand(["warm", try await address(of: serve) + "/v1/qiita/nothing"])
    #expect(await warm.exitCode() == 1)
    #expect(warm.errorText.last?.contains("404 feed_not_found") == true)
  }

  @Test func badUsageIs64() async throws {
    let warm = try RunningCommand(["warm", "http://127.0.0.1:1/v1/qiita/items?startAfter=x"])
    #expect(await warm.exitCode() == 64)
  }
}
