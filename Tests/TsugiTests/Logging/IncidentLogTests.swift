import Feed
import Logging
import SQLiteStore
import Support
import Synchronization
import Testing

@testable import Assembly
@testable import tsugi

@Suite struct IncidentLogTests {
  private func lines(_ incidents: [Incident]) -> [String] {
    let text = Mutex("")
    let logger = Logger(label: "test") { label in
      LineLogHandler(
        label: label, now: { Timestamp(seconds: 0) },
        write: { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } })
    }
    for incident in incidents { logger.log(incident, of: "qiita") }
    return text.withLock { $0.split(separator: "\n").map(String.init) }
  }

  @Test func tellsOfAFaultOnlyTheFirstTime() {
    let feed = FeedID(
      source: "qiita", pattern: FeedPattern("items", order: .value), parts: [Array("items".utf8)])
    let window = Window(page: 2, perPage: 99)
    let incidents = [true, false, false].map { isFirst in
      Incident.faultyElements(
        feed: feed, window: window, fault: .broken, count: 3, isFirst: isFirst)
    }
    let lines = lines(incidents)
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix(
        #""count":3,"fault":"broken","feed":"qiita/items","page":2,"perPage":99}"#) == true)
  }

  /// An answer that comes while a server ends is no trouble of the store's.
  @Test func saysNothingOfAStoreThatIsClosed() {
    #expect(lines([.notStored(.closed)]).isEmpty)
    #expect(lines([.notStored(.full)]).count == 1)
  }

  @Test func namesTheKeyThatDeclaresARate() {
    var rate = RateAllowance(calls: 60, period: .seconds(60))
    rate.assumedFor = "sources.qiita.rate"
    let lines = lines([.rateAssumed(rate)])
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix(
        #""calls":60,"key":"sources.qiita.rate","seconds":60,"source":"qiita"}"#) == true)
  }

  @Test(
    arguments: [
      (nil, "info", ""), (.unchanged, "info", #""failure":"unchanged","#),
      (.notFound, "info", #""failure":"not_found","#),
      (.timedOut, "warning", #""detail":"it took too long","failure":"timed_out","#),
      (
        .serverError(status: 503, retryAfterSeconds: 7), "warning",
        #""detail":"it answered 503, to be asked again after 7 s","failure":"server_error","#
      ),
      (
        .rateLimited(retryAfterSeconds: nil), "warning",
        #""detail":"no calls are left","failure":"rate_limited","#
      ),
      (
        .unreachable(reason: "Couldn't connect to server"), "warning",
        #""detail":"Couldn't connect to server","failure":"unreachable","#
      ),
    ] as [(FetchError?, String, String)])
  func tellsFailuresOfTheUpstreamByAWord(failure: FetchError?, level: String, members: String) {
    let lines = lines([
      .called(
        EndedCall(
          path: "items", window: nil, purpose: .reader,
          budget: Budget(assumed: Policy().allowance), failure: failure,
          sentAt: Timestamp(seconds: 0), receivedAt: Timestamp(seconds: 1), count: nil))
    ])
    let line = lines.first ?? ""
    #expect(line.contains(#""level":"\#(level)""#) && line.contains(members))
    #expect(line.contains("failure") == (failure != nil))
  }

  /// What somebody searches for is in no line: the access log leaves queries out, too.
  @Test func namesASearchWithoutItsText() {
    let feed = FeedID(
      source: "qiita", pattern: FeedPattern("items", order: .value, takesQuery: true),
      parts: [Array("items".utf8)]
    ).searched(for: Array("secret".utf8))
    let window = Window(page: 1, perPage: 100)
    let lines = lines([
      .faultyElements(feed: feed, window: window, fault: .broken, count: 1, isFirst: true),
      .reordered(feed: feed),
    ])
    #expect(feed.name.contains("secret") && lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(#""feed":"qiita/items""#) && !$0.contains("secret") })
  }
}
