import Glibc
import JSONBytes
import Testing
import Upstream

/// `tsugi simulate` as a process.
@Suite(.timeLimit(.minutes(10))) struct SimulateCommandTests {
  @Test func answersAtTheAddressItPrints() async throws {
    let simulate = try RunningCommand(["simulate", "--port", "0", "--items", "30"])
    let base = try #require(try await simulate.servedAddress())
    let reply = try await UpstreamClient(version: "test").reply(from: "\(base)/items?per_page=7")
    #expect(reply.status == 200)
    #expect(try JSON.elements(of: reply.body).count == 7)
    simulate.signal(SIGTERM)
    #expect(await simulate.exitCode() == 0)
  }

  @Test func servesRecordedItems() async throws {
    let item = """
      {"id":"0123456789abcdef0123","created_at":"2025-12-09T15:24:45+09:00", "title": "次",
       "updated_at":"2025-12-09T15:24:45+09:00","user":{"id":"a"},"tags":[{"name":"Swift"}]}
      """
    let simulate = try RunningCommand(
      ["simulate", "--data", "items.json", "--port", "0"], files: ["items.json": "[\(item)]"])
    let base = try #require(try await simulate.servedAddress())
    let reply = try await UpstreamClient(version: "test").reply(from: "\(base)/items")
    #expect(String(decoding: reply.body, as: UTF8.self) == "[\(item)]")
    simulate.signal(SIGINT)
    #expect(await simulate.exitCode() == 0)
  }

  @Test(arguments: [
    ["--data", "missing.json"], ["--data", "broken.json"], ["--data", "strange.json"],
  ])
  func refusesDataItCannotServe(_ options: [String]) async throws {
    let simulate = try RunningCommand(
      ["simulate"] + options, files: ["broken.json": "[1", "strange.json": "[{}]"])
    #expect(await simulate.exitCode() == 64)
    #expect(simulate.errorText.first?.contains("--data: ") == true)
    #expect(simulate.errorText.first?.contains(options[1]) == true)
  }
}
