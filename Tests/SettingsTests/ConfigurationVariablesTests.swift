import Bytes
import Testing

@testable import Settings

@Suite struct ConfigurationVariablesTests {
  @Test(arguments: [
    (#"{}"#, "t"),
    (#"{"sources": {"qiita": {}}}"#, "t"),
    (#"{"sources": {"qiita": {"token": null}}}"#, nil),
    (#"{"sources": {"qiita": {"token": ""}}}"#, nil),
    (#"{"sources": {"qiita": {"token": "${QIITA_TOKEN}"}}}"#, "t"),
    (#"{"sources": {"qiita": {"token": "<${QIITA_TOKEN}-${QIITA_TOKEN}>"}}}"#, "<t-t>"),
    (#"{"sources": {"qiita": {"token": "a${UNSET}"}}}"#, nil),
    (#"{"sources": {"qiita": {"baseURL": "http://other.example"}}}"#, nil),
    (#"{"sources": {"qiita": {"baseURL": "https://qiita.com/api/v2/"}}}"#, "t"),
  ])
  func findsTheToken(json: String, token: String?) throws {
    #expect(try configuration(json, ["QIITA_TOKEN": "t"]).qiita?.token?.text == token)
  }

  @Test(arguments: [[:], ["QIITA_TOKEN": ""]])
  func noVariableIsNoToken(environment: [String: String]) throws {
    #expect(try configuration(exampleConfiguration, environment).qiita?.token == nil)
  }

  @Test func aSecretMayLieInAFile() throws {
    let environment = ["QIITA_TOKEN_FILE": "/run/secrets/t", "KEY_FILE": "/run/secrets/k"]
    let read = try configuration(
      #"{"server": {"apiKeys": ["${KEY}"]}}"#, environment,
      files: ["/run/secrets/t": "\t token\r\n", "/run/secrets/k": "long-key\n"])
    #expect(read.qiita?.token?.text == "token")
    #expect(read.server.apiKeys.map(\.text) == ["long-key"])
  }

  @Test func aVariableWinsOverItsFile() throws {
    let environment = ["QIITA_TOKEN": "t", "QIITA_TOKEN_FILE": "/missing"]
    #expect(try configuration("{}", environment).qiita?.token?.text == "t")
  }

  @Test func aFileThatCannotBeReadIsAProblemEvenForAToken() {
    #expect(
      problems("{}", ["QIITA_TOKEN_FILE": "/missing"]) == [
        "sources.qiita.token: the file that QIITA_TOKEN_FILE names cannot be read as UTF-8"
      ])
  }

  @Test(arguments: [
    (#""${A}""#, "the environment variable A is not set"),
    (#""x${_B2}y""#, "the environment variable _B2 is not set"),
    (#""${}""#, "has a ${ without a variable's name and }"),
    (#""${HOME""#, "has a ${ without a variable's name and }"),
    (#""${1A}""#, "has a ${ without a variable's name and }"),
    (#""${A B}""#, "has a ${ without a variable's name and }"),
  ])
  func refusesVariableWithoutValue(path: String, message: String) {
    #expect(problems(document("store.path", path), ["HOME": "/h"]) == ["store.path: \(message)"])
    #expect(
      problems(#"{"server": {"apiKeys": ["aaaaaaaa", \#(path)]}}"#)
        == ["server.apiKeys[1]: \(message)"])
  }

  @Test(arguments: [
    ("${D}/${N}.db", "/d/n.db"), ("$D", "$D"), ("$$", "$$"), ("$${N}", "$n"), ("${T}", "${N}"),
    ("{${N}}", "{n}"),
  ])
  func replacesVariablesOnce(path: String, expected: String) throws {
    let environment = ["D": "/d", "N": "n", "T": "${N}"]
    #expect(
      try configuration(document("store.path", #""\#(path)""#), environment).store.path == expected)
  }

  @Test func variablesStandForTheKindOfASource() throws {
    let json = #"{"sources": {"s": {"kind": "${K}", "path": "p"}}}"#
    #expect(try configuration(json, ["K": "file"]).sources == ["s": .file(.init(path: "p"))])
  }

  @Test(arguments: [
    ("TSUGI_SERVER_PORT", "http", "must be a whole number from 0 to 65535"),
    ("TSUGI_SERVER_PORT", "65536", "must be a whole number from 0 to 65535"),
    ("TSUGI_STORE_MAX_FEEDS", "1.5", "must be a whole number from 1 to 10000000"),
    ("TSUGI_SERVER_HOST", "a b", "must be a host name, or an IP address without brackets"),
  ])
  func namesTheVariableThatIsWrong(name: String, value: String, message: String) {
    #expect(problems("{}", [name: value, "OTHER": "x"]) == ["\(name): \(message)"])
  }

  /// Other programs may have variables that begin so, and a typo is told all the same.
  @Test(arguments: ["TSUGI_SEVER_PORT", "TSUGI_HISTORIES", "TSUGI_"])
  func aVariableThatMeansNothingIsAWarning(name: String) throws {
    let read = try configuration("{}", [name: "1"])
    #expect(read.warnings.map(\.place) == [name])
    #expect(read.warnings.allSatisfy { $0.message.hasPrefix("overrides no key") })
    #expect(read.server == Configuration().server)
  }

  @Test func asksBackWhichVariableWasMeant() throws {
    let read = try configuration("{}", ["TSUGI_SEVER_PORT": "1"])
    #expect(
      read.warnings.map(\.description) == [
        "TSUGI_SEVER_PORT: overrides no key; did you mean TSUGI_SERVER_PORT?"
      ])
  }

  @Test func keysStandInAVariableWithCommas() throws {
    let file = document("server.apiKeys", #"["from-the-file"]"#)
    let read = try configuration(file, ["TSUGI_SERVER_API_KEYS": "first-key,second-key ,"])
    #expect(read.server.apiKeys.map(\.text) == ["first-key", "second-key"])
    #expect(
      problems("{}", ["TSUGI_SERVER_API_KEYS": "first-key,short"]) == [
        "TSUGI_SERVER_API_KEYS[1]: "
          + "must be 8 to 256 characters of visible ASCII, and not <hidden>"
      ])
  }

  @Test func aVariableThatTheFileUsesIsNoStranger() throws {
    let json = document("store.path", #""${TSUGI_DATA}/t.db""#)
    #expect(try configuration(json, ["TSUGI_DATA": "/data"]).store.path == "/data/t.db")
  }

  @Test(arguments: [
    ("TSUGI_SERVICE_HOST", "10.0.0.1"), ("TSUGI_SERVICE_PORT_HTTP", "80"),
    ("TSUGI_PORT", "tcp://10.0.0.1:80"), ("TSUGI_PORT_80_TCP_ADDR", "10.0.0.1"),
    ("TSUGI_SERVER_PORT", "tcp://10.0.0.1:80"),
  ])
  func kubernetesServiceLinksAreLeftAlone(name: String, value: String) throws {
    #expect(try configuration("{}", [name: value]) == Configuration())
  }

  @Test func namesTheFlagThatIsWrong() {
    #expect(
      problems("{}", overrides: .init(host: "", port: -1)) == [
        "--host: must be a host name, or an IP address without brackets",
        "--port: must be a whole number from 0 to 65535",
      ])
  }
}
