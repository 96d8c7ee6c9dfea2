import Glibc
import HTTP
import Synchronization
import Testing

/// What `tsugi probe` says to people, and what it sends, at an API that a test makes up.
@Suite(.timeLimit(.minutes(3))) struct ProbedAPITests {
  /// What a command has done.
  private struct Run {
    let code: Int32?
    let output: String
    let errors: [String]
  }

  private func probe(
    _ url: String, _ options: [String] = [], files: [String: String] = [:]
  ) async throws -> Run {
    let command = try RunningCommand(["probe", url] + options, files: files)
    let code = await command.exitCode()
    return Run(
      code: code, output: String(decoding: try command.output(), as: UTF8.self),
      errors: command.errorText)
  }

  // MARK: - What is said

  private static let list = #"[{"id":7},{"id":6},{"id":5}]"#

  @Test(arguments: [
    (404, "text/plain", "", "the answer is 404: give a URL that answers 200"),
    (401, "text/plain", "", "say who asks by --bearer-file, --user or --header"),
    (429, "text/plain", "", "the API refuses calls for now (429): try again later"),
    (200, "text/html", "<html>", "not JSON, but text/html: give the URL of the API itself"),
    (200, "application/json", "{}", "no array of objects with an identity: give the URL of a list"),
    (200, "application/json", #"{"items":[],"next":null}"#, "the list is empty: give the URL"),
    (200, "application/json", "[{\"id\":1},", "application/json, and is no JSON, or not all"),
    (200, "application/json", list, "Give the URL of the second page as --second"),
  ])
  func aRefusalSaysWhatWasTriedAndWhatWouldHelp(
    status: Int, type: String, body: String, words: String
  ) async throws {
    let api = try ProbedAPI { _ in (status, ["content-type": type], body) }
    let run = try await probe(api.url)
    #expect(run.code == 1)
    #expect(run.output.isEmpty)
    #expect(run.errors.last?.contains("nothing to write down: ") == true)
    #expect(run.errors.last?.contains(words) == true, "\(run.errors)")
    let tried = run.errors.filter { $0.hasPrefix("tried ") }
    #expect(tried.count == api.requests.count)
    #expect(tried.first == "tried no parameter: \(status)")
    await api.stop()
  }

  @Test func aSecretThatIsNotTakenIsNotAskedForAgain() async throws {
    let api = try ProbedAPI { _ in (403, [:], "") }
    let run = try await probe(api.url, ["--user", "ada:geheim"])
    #expect(run.errors.last?.contains("403: give a secret that the API takes") == true)
    await api.stop()
  }

  @Test(arguments: ["http://localhost:1/api/items?page=2", "/api/others?page=2"])
  func aSecondPageOfAnotherListIsNotAskedFor(reference: String) async throws {
    let api = try ProbedAPI()
    let second = reference.hasPrefix("/") ? "http://127.0.0.1:\(api.port)\(reference)" : reference
    let run = try await probe(api.url, ["--second", second])
    #expect(run.errors.last?.contains("--second is not a URL of the same list") == true)
    #expect(api.requests.map(\.path) == ["/api/items"])
    await api.stop()
  }

  @Test func whatIsOpenSinceCallsAreRefusedSaysSo() async throws {
    let api = try ProbedAPI { $0 > 4 ? (429, ["retry-after": "90"], "") : nil }
    let run = try await probe(api.url)
    #expect(run.code == 0)
    let words = "open since the API refuses calls for now (429): try again in 90 seconds: "
    #expect(run.errors.contains { $0.hasPrefix(words) }, "\(run.errors)")
    await api.stop()
  }

  @Test(arguments: [
    (["--header", "X"], "a header is 'Name: value'"), (["--user", "ada"], "'name:password'"),
    (["--user", "ada:x", "--header", "X-Key: y"], "one secret"),
  ])
  func anOptionThatIsNoneIsSaidInWords(options: [String], words: String) async throws {
    let run = try await probe("http://127.0.0.1:1/items", options)
    #expect(run.code == 64)
    #expect(run.errors.contains { $0.contains(words) }, "\(run.errors)")
  }

  // MARK: - What is sent

  @Test(arguments: [
    (["--header", "X-Api-Key: geheim-1"], "x-api-key", "geheim-1"),
    (["--header", "Authorization: Bearer geheim-1"], "authorization", "Bearer geheim-1"),
    (["--user", "ada:geheim-1"], "authorization", "Basic YWRhOmdlaGVpbS0x"),
    (["--bearer-file", "token"], "authorization", "Bearer geheim-1"),
  ])
  func aSecretGoesToTheOriginAloneAndIsNotPrinted(
    options: [String], name: String, value: String
  ) async throws {
    let foreign = try ProbedAPI()
    let api = try ProbedAPI(nextOrigin: "http://localhost:\(foreign.port)")
    let run = try await probe(api.url, options, files: ["token": "geheim-1\n"])
    #expect(run.code == 0, "\(run.errors)")
    #expect(api.requests.allSatisfy { $0.fields[name] == value })
    #expect(foreign.requests.isEmpty)
    let printed = run.output + run.errors.joined()
    #expect(!printed.contains("geheim") && !printed.contains("YWRhOmdlaGVpbS0x"), "\(printed)")
    #expect(run.errors.contains { $0.contains("or API_TOKEN_FILE") }, "\(run.errors)")
    await api.stop()
    await foreign.stop()
  }

  @Test func aRedirectToAnotherOriginGetsNoSecret() async throws {
    let foreign = try ProbedAPI()
    let api = try ProbedAPI { [url = foreign.url] _ in (302, ["location": url], "") }
    let run = try await probe(api.url, ["--header", "X-Api-Key: geheim-1"])
    #expect(run.errors.last?.contains("redirect to another origin") == true, "\(run.errors)")
    #expect(foreign.requests.isEmpty)
    await api.stop()
    await foreign.stop()
  }

  @Test func everySecretOfTheUrlIsSentAndNonePrinted() async throws {
    let api = try ProbedAPI()
    let run = try await probe("\(api.url)?key=geheim-1&token=geheim-2&board=7")
    #expect(run.code == 0, "\(run.errors)")
    #expect(
      api.requests.allSatisfy { request in
        let query = request.query ?? ""
        return ["key=geheim-1", "token=geheim-2", "board=7"].allSatisfy(query.contains)
      })
    #expect(!(run.output + run.errors.joined()).contains("geheim"), "\(run.output)")
    #expect(run.output.contains(#""token": "${API_QUERY_TOKEN}""#), "\(run.output)")
    await api.stop()
  }
}
