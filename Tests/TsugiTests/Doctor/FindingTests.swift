import Feed
import HTTP
import Settings
import Testing

@testable import tsugi

@Suite struct FindingTests {
  @Test(arguments: [
    (Int64?.none, "note"), (0, "ok  "), (60, "ok  "), (-60, "ok  "), (61, "FAIL"), (-61, "FAIL"),
    (.min, "FAIL"), (.max, "FAIL"),
  ])
  func comparesClocks(_ seconds: Int64?, _ state: String) {
    #expect(Finding.clock(secondsAhead: seconds).state.rawValue == state)
  }

  @Test func saysOnWhichSideTheClockIs() {
    #expect(Finding.clock(secondsAhead: 3600).text.hasPrefix("3600 s ahead of"))
    #expect(Finding.clock(secondsAhead: -3600).text.hasPrefix("3600 s behind"))
  }

  @Test func namesTheKeyOfAnAssumedRate() {
    var allowance = RateAllowance(calls: 60, period: .seconds(60))
    allowance.assumedFor = "sources.a.rate"
    let finding = Finding.budget("a", nil, assuming: allowance)
    #expect(
      finding.line
        == "note  budget a: 60 calls in 60 s are assumed; sources.a.rate sets another rate")
    allowance.assumedFor = nil
    #expect(Finding.budget("a", nil, assuming: allowance).state == .ok)
  }

  @Test(arguments: [
    (FetchError.refused(status: 401), "token"), (.unreachable(reason: "no route"), "baseURL"),
    (.malformed(reason: "not JSON"), "check --probe"), (.serverError(status: 500), "upstream's"),
  ])
  func saysWhatToDoAboutAnUpstream(_ error: FetchError, _ advice: String) {
    let finding = Finding.upstream("a", error, at: "http://a/")
    #expect(finding.state == .failed)
    #expect(finding.text.contains(advice))
  }

  @Test func saysWhichPartsAMergedFeedWaitsFor() {
    var merged = Configuration.Source.Merged()
    merged.parts = ["x": .init(feed: "a/posts"), "y": .init(feed: "b/posts?q=1")]
    merged.parts["z"] = .init(feed: "c/posts")
    merged.parts["z"]?.isOptional = true
    func line(failing: Set<String> = [], undated: Set<String> = []) -> String {
      Finding.merged("home", merged, failing: failing, undated: undated).line
    }
    #expect(line() == "ok    merged home: 3 parts")
    #expect(line(failing: ["c"], undated: ["c"]) == "ok    merged home: 3 parts")
    #expect(line(failing: ["b", "c"]).hasPrefix("FAIL  merged home: its top waits for y: "))
    #expect(
      line(undated: ["a", "b"]).hasPrefix("note  merged home: no Date from the upstream of x, y"))
  }

  @Test func wantsRoomOnTheDisk() {
    let store = { (freeBytes: Int64) in
      Finding.store(
        .success(nil), Configuration().store, freeBytes: freeBytes, isWritable: true
      ).state
    }
    #expect(store(100 << 20) == .ok)
    #expect(store((100 << 20) - 1) == .failed)
  }

  @Test func takesAPortThatMayNotBeHadForAFailure() {
    let finding = Finding.port(
      .systemCall(name: "bind", errno: 13), at: Address(host: "127.0.0.1", port: 80), isOurs: true)
    #expect(finding.line == "FAIL  port: 127.0.0.1:80 cannot be used (bind: Permission denied)")
  }
}
