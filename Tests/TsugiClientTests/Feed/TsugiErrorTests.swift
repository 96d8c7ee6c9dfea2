import Foundation
import Testing
import TsugiClientTesting

@testable import TsugiClient

struct TsugiErrorTests {
  private func error(_ reply: TransportReply) async throws -> TsugiError? {
    let transport = ScriptedTransport { _ in reply }
    let feed = try FeedClient.scripted(transport).feed("qiita/items", of: Post.self)
    return await #expect(throws: TsugiError.self) { _ = try await feed.slice() }
  }

  @Test(arguments: ProblemCode.allCases)
  func carriesTheServersProblem(code: ProblemCode) async throws {
    let error = try await error(.problem(code, detail: "why"))
    #expect(error?.code == code)
    guard case .status(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.status == code.status)
    #expect(failure.problem?.detail == "why")
  }

  @Test func readsACodeItDoesNotKnow() async throws {
    let reply = TransportReply.json(
      #"{"type":"t","title":"New","status":418,"detail":"d","code":"teapot"}"#, status: 418)
    let error = try await error(reply)
    guard case .status(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.problem?.code == "teapot")
    #expect(error?.code == nil)
  }

  @Test func keepsTheStatusOfAnotherServersError() async throws {
    let reply = TransportReply(status: 502, body: Data("<html>".utf8))
    #expect(try await error(reply) == .status(StatusFailure(status: 502)))
  }

  @Test(
    arguments: [
      (["retry-after": "30"], 30), (["Retry-After": "0"], 0), (["retry-after": "-5"], 0),
      (
        [
          "date": "Sat, 21 Nov 2026 00:00:00 GMT",
          "retry-after": "Sat, 21 Nov 2026 00:01:30 GMT",
        ], 90
      ),
      (
        [
          "date": "Sunday, 06-Nov-94 08:49:37 GMT", "retry-after": "Sun Nov  6 08:49:47 1994",
        ], 10
      ),
      (["retry-after": " 5 "], 5), (["retry-after": "soon"], nil), ([:], nil),
    ] as [([String: String], Int?)])
  func carriesRetryAfter(headers: [String: String], seconds: Int?) async throws {
    let error = try await error(TransportReply(status: 503, headers: headers))
    #expect(error?.retryAfter == seconds.map { .seconds($0) })
  }

  @Test(arguments: [
    (TsugiError.request("x"), false),
    (.transport(TransportFailure(.offline, "")), true),
    (.decoding(DecodingFailure(reason: "")), true),
    (.status(StatusFailure(status: 404)), false), (.status(StatusFailure(status: 410)), false),
    (.status(StatusFailure(status: 401)), false), (.status(StatusFailure(status: 429)), true),
    (.status(StatusFailure(status: 408)), true), (.status(StatusFailure(status: 503)), true),
  ])
  func tellsWhatMayPass(error: TsugiError, mayPass: Bool) {
    #expect(error.mayPass == mayPass)
  }

  @Test(
    arguments: [
      (TsugiError.request("no path"), "The request cannot be made: no path."),
      (.transport(TransportFailure(.offline, "no network")), "No answer came: no network."),
      (.status(StatusFailure(status: 502)), "The server answered 502."),
      (
        .status(StatusFailure(status: 503, problem: ProblemDetails(.overloaded, detail: "d"))),
        "The server answered 503: \(ProblemDetails(.overloaded, detail: "").title)."
      ),
      (
        .decoding(DecodingFailure(path: "seq", reason: "is missing")),
        "The answer cannot be read: seq is missing."
      ),
    ] as [(TsugiError, String)])
  func saysWhatWentWrong(error: TsugiError, text: String) {
    #expect((error as any Error).localizedDescription == text)
  }

  @Test(arguments: [
    (1, 0.0, 500), (1, 1.0, 1_000), (2, 1.0, 2_000), (3, 0.5, 3_000), (6, 1.0, 32_000),
    (7, 1.0, 60_000), (60, 0.0, 30_000),
  ])
  func pausesLonger(failures: Int, draw: Double, milliseconds: Int) {
    let error = TsugiError.status(StatusFailure(status: 503))
    #expect(
      Backoff().pause(afterFailures: failures, error: error, draw: draw)
        == .milliseconds(milliseconds))
  }

  @Test(arguments: [(0, 1), (20, 20), (3_600, 3_600), (3_601, 3_600)])
  func pausesAtLeastAsLongAsTheServerAsksUpToAnHour(asked: Int, seconds: Int) {
    let error = TsugiError.status(StatusFailure(status: 503, retryAfter: .seconds(asked)))
    #expect(Backoff().pause(afterFailures: 1, error: error, draw: 1) == .seconds(seconds))
  }
}
