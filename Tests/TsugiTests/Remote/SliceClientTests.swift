import Feed
import HTTP
import Synchronization
import Testing
import Upstream

@testable import tsugi

@Suite struct SliceClientTests {
  @Test func asksAgainWhenTheServerSays() async throws {
    let asked = try await ask([
      problem(503, retryAfter: "7"), problem(429, retryAfter: "0"), problem(504, retryAfter: "120"),
      slice,
    ])
    #expect(asked.items == 1)
    #expect(asked.pauses == [7, 1, 120])
    #expect(
      asked.told.first
        == "asking again in 7 s: the server answered 503 upstream_rate_limited: no calls are left")
  }

  @Test(arguments: [
    problem(503, retryAfter: "3661"), problem(503, retryAfter: nil),
    problem(503, retryAfter: "soon"),
    problem(500, retryAfter: "1"), problem(404, retryAfter: "1"),
  ])
  func endsWithTheProblem(_ response: Response) async throws {
    let asked = try await ask([response, slice])
    #expect(asked.pauses.isEmpty)
    #expect(
      asked.error
        == .refused(
          status: response.status.code, code: "upstream_rate_limited",
          detail: "no calls are left"))
  }

  @Test(arguments: [(3_660, [3_660]), (3_661, [])])
  func waitsAsLongAsItIsTold(_ seconds: Int, _ pauses: [Int64]) async throws {
    let asked = try await ask([problem(503, retryAfter: "\(seconds)"), slice])
    #expect(asked.pauses == pauses)
    #expect(asked.items == (pauses.isEmpty ? nil : 1))
  }

  @Test func givesUpInTheEnd() async throws {
    let failures = [Response](
      repeating: problem(503, retryAfter: "1"), count: SliceClient.retriesMax + 1)
    let asked = try await ask(failures)
    #expect(asked.pauses.count == SliceClient.retriesMax)
    #expect(asked.items == nil)
  }

  @Test func bearsAnErrorThatIsNoProblem() async throws {
    let asked = try await ask([Response(status: 502, text: "<html>bad gateway</html>")])
    #expect(asked.error == .refused(status: 502, code: nil, detail: "it did not say why"))
  }

  @Test func refusesWhatIsNoSlice() async throws {
    let asked = try await ask([Response(text: "hello")])
    #expect(asked.error == .notASlice)
  }

  private let slice = Response(text: #"{"items":[{"id":"a"}],"next":null,"endReason":"end"}"#)

  private struct Asked {
    var items: Int?
    var error: CommandError?
    var pauses: [Int64]
    var told: [String]
  }

  /// Asks a server that gives these answers, one after the other.
  private func ask(
    _ responses: [Response]
  ) async throws -> Asked {
    let left = Mutex(responses)
    let server = Server { _, responder in
      responder.send(left.withLock { $0.isEmpty ? Response(status: 500) : $0.removeFirst() })
    }
    let address = try server.start()
    let url = try #require(FeedURL("http://\(address)/v1/qiita/items"))
    let pauses = Mutex<[Int64]>([])
    let told = Mutex<[String]>([])
    let client = SliceClient(
      client: try UpstreamClient(version: "test"),
      tell: { line in told.withLock { $0.append(line) } },
      pause: { seconds in pauses.withLock { $0.append(seconds) } })
    var asked = Asked(pauses: [], told: [])
    do throws(CommandError) {
      asked.items = try await client.slice(at: url).items.count
    } catch {
      asked.error = error
    }
    await server.stop(drain: .zero)
    asked.pauses = pauses.withLock { $0 }
    asked.told = told.withLock { $0 }
    return asked
  }
}

private func problem(_ status: Status, retryAfter: String?) -> Response {
  var response = Response(
    status: status, text: #"{"code":"upstream_rate_limited","detail":"no calls are left"}"#)
  if let retryAfter { response.fields.append("Retry-After", retryAfter) }
  return response
}
