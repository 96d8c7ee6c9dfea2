import Foundation
import JSONBytes
import Support
import Testing

/// `tsugi check` as a process; `serve` reads its configuration by the same function.
@Suite(.timeLimit(.minutes(10))) struct CheckCommandTests {
  @Test func takesTheDefaults() async throws {
    let check = try RunningCommand(["check"])
    #expect(await check.exitCode() == 0)
    let output = try check.output()
    let port = try #require(try JSON.member(at: ["server", "port"], of: output[...]))
    #expect(try JSON.wholeNumber(output[port]) == 8080)
  }

  @Test func takesTheFileThatComesWithTheProgram() async throws {
    let file = Checkout.root.appending(path: "config.json").path
    let check = try RunningCommand(["check", "--config", file])
    #expect(await check.exitCode() == 0)
    let output = try check.output()
    let token = try #require(
      try JSON.member(at: ["sources", "qiita", "token"], of: output[...]))
    #expect(String(decoding: output[token], as: UTF8.self) == "null")
  }

  @Test func findsTheFileInItsDirectory() async throws {
    let check = try RunningCommand(
      ["check"], files: ["config.json": #"{"server":{"port":1234}}"#])
    #expect(await check.exitCode() == 0)
    #expect(String(decoding: try check.output(), as: UTF8.self).contains(#""port": 1234"#))
  }

  @Test func hidesSecrets() async throws {
    let check = try RunningCommand(
      ["check"], files: ["config.json": #"{"sources":{"qiita":{"token":"s3cr3t-token"}}}"#])
    #expect(await check.exitCode() == 0)
    #expect(!String(decoding: try check.output(), as: UTF8.self).contains("s3cr3t"))
  }

  @Test func saysHowOldAMergedTopMayBe() async throws {
    let source = #"{"kind":"qiita","freshSeconds":"#
    let check = try RunningCommand(
      ["check"],
      files: [
        "config.json": #"""
        {"sources":{"a":\#(source)5},"b":\#(source)90},"c":\#(source)300},"home":{"kind":"merged",
         "parts":{"a":{"feed":"a/items"},"b":{"feed":"b/items"},
         "c":{"feed":"c/items","optional":true,"lagSeconds":60}}}}}
        """#
      ])
    #expect(await check.exitCode() == 0)
    let output = try check.output()
    let lag = try JSON.member(
      at: ["sources", "home", "parts", "c", "lagSeconds"], of: output[...])
    #expect(try lag.map { try JSON.wholeNumber(output[$0]) } == 60)
    #expect(
      check.errorText.contains(
        "sources.home: its top is up to 90 s old, the freshSeconds of its slowest part"))
  }

  @Test(arguments: ["check", "serve"])
  func tellsAllThatIsWrong(_ command: String) async throws {
    let check = try RunningCommand(
      [command],
      files: ["config.json": #"{"server":{"port":-1,"hots":1},"store":{"path":5}}"#])
    #expect(await check.exitCode() == 78)
    #expect(check.errorText.count == 3)
    for place in ["server.port: ", "server.hots: ", "store.path: "] {
      #expect(check.errorText.contains { $0.hasPrefix(place) })
    }
    #expect(try check.output().isEmpty)
  }

  @Test func tellsOfAFileThatIsNotThere() async throws {
    let check = try RunningCommand(
      ["check"],
      files: ["config.json": #"{"sources":{"f":{"kind":"file","path":"none.json"}}}"#])
    #expect(await check.exitCode() == 0)
    #expect(
      check.errorText == [
        "warning: sources.f.path: cannot read none.json: No such file or directory", "ok",
      ])
  }

  @Test func saysOkAndWhatIsAssumedOrNotSet() async throws {
    let file = """
      {"sources":{"a":{"kind":"http","baseURL":"https://a.example",
       "pages":{"by":"page","at":"p","size":"n"},
       "feeds":{"posts":{}}},"qiita":{"kind":"qiita","token":"${QIITA_TOKEN}"}}}
      """
    let check = try RunningCommand(["check"], files: ["config.json": file])
    #expect(await check.exitCode() == 0)
    #expect(
      check.errorText == [
        "warning: sources.qiita.token: is null: neither QIITA_TOKEN nor QIITA_TOKEN_FILE is set "
          + "in the environment",
        "sources.a.rate: 60 calls in 60 s are assumed until the API states its rate", "ok",
      ])
    let quiet = try RunningCommand(["check", "--quiet"], files: ["config.json": file])
    #expect(await quiet.exitCode() == 0)
    #expect(quiet.errorText.isEmpty)
    #expect(try quiet.output().isEmpty)
  }

  @Test func saysWhatIsWrongWhereItIsQuiet() async throws {
    let check = try RunningCommand(["check", "-q"], files: ["config.json": #"{"srever":{}}"#])
    #expect(await check.exitCode() == 78)
    #expect(check.errorText.first?.hasPrefix("srever: ") == true)
  }

  @Test func namesTheFileWhoseSyntaxIsWrong() async throws {
    let check = try RunningCommand(["check"], files: ["config.json": "{\"server\":{},}"])
    #expect(await check.exitCode() == 78)
    #expect(
      check.errorText == [
        "config.json, line 1, column 14: a trailing comma before this bracket; JSON has none"
      ])
  }

  @Test func whatCannotBeWrittenIsAFailure() async throws {
    let check = try RunningCommand(["check"], after: "exec > /dev/full")
    #expect(await check.exitCode() == 1)
    #expect(check.errorText.last?.contains("cannot write: No space left on device") == true)
  }

  @Test(arguments: ["missing.json", "."])
  func refusesAFileItCannotRead(_ path: String) async throws {
    let check = try RunningCommand(["check", "--config", path])
    #expect(await check.exitCode() == 78)
    #expect(check.errorText.first?.hasPrefix("cannot read \(path): ") == true)
  }
}
