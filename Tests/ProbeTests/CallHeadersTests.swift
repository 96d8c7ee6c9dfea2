import Bytes
import Testing

@testable import Probe

/// What calls carry, and what is written down of it.
@Suite struct CallHeadersTests {
  private func report(_ headers: CallHeaders) throws -> Report {
    Report(try #require(ListAddress("https://api.shop.example/posts")), headers)
  }

  @Test(arguments: [
    ("Authorization: Bearer geheim-1", #""bearer": "${SHOP_TOKEN}""#),
    ("Authorization: ApiKey geheim-1", #""header": "Authorization""#),
    ("X-Api-Key: geheim-1", #""header": "X-Api-Key""#),
    ("PRIVATE-TOKEN:geheim-1", #""header": "PRIVATE-TOKEN""#),
  ])
  func aSecretIsSentAndWrittenDownAsAVariable(header: String, words: String) throws {
    var headers = CallHeaders()
    try headers.add(header: header)
    #expect(headers.lines.contains { $0.hasSuffix("geheim-1") })
    let report = try report(headers)
    #expect(report.configuration.contains(words))
    #expect(!report.configuration.contains("geheim"))
    #expect(report.variables == ["TSUGI_KEY", "SHOP_TOKEN"])
  }

  @Test func aUserIsSentAndItsPasswordWrittenDownAsAVariable() throws {
    var headers = CallHeaders()
    try headers.add(user: "ada:ge:heim")
    #expect(headers.lines.contains("Authorization: Basic YWRhOmdlOmhlaW0="))
    let configuration = try report(headers).configuration
    #expect(configuration.contains("\"ada\"") && !configuration.contains("heim"))
  }

  @Test func whatIsNoSecretIsWrittenDownAsItIs() throws {
    var headers = CallHeaders()
    try headers.add(header: "Accept: application/vnd.a+json")
    try headers.add(header: "X-Version: 2")
    #expect(headers.lines == ["Accept: application/vnd.a+json", "X-Version: 2"])
    let report = try report(headers)
    #expect(report.configuration.contains(#""X-Version": "2""#))
    #expect(report.variables.isEmpty)
  }

  @Test(arguments: ["", "X", "X Y: 1", "X: \u{1}", "X-Key: ", "X-Key: a  b", ": x"])
  func whatIsNoHeaderIsRefused(text: String) {
    var headers = CallHeaders()
    #expect(throws: CallHeaders.Fault.notAHeader) { try headers.add(header: text) }
  }

  /// Of a header's value nothing is said but a scheme.
  @Test(arguments: [
    ("Cookie: session=geheim; theme=dark", "Cookie: …"), ("X-Key: geheim", "X-Key: …"),
    ("Authorization: geheim", "Authorization: …"),
    ("Authorization: SSWS geheim", "Authorization: SSWS …"),
  ])
  func whatAVariableHoldsIsSaidWithoutTheSecret(header: String, said: String) throws {
    var headers = CallHeaders()
    try headers.add(header: header)
    #expect(try report(headers).headerVariable?.header == said)
  }

  /// Who asks with a key for a user's name, and no password, keeps it as a secret.
  @Test func aUserWithoutAPasswordIsTheSecret() throws {
    var headers = CallHeaders()
    try headers.add(user: "sk_live_1:")
    #expect(headers.lines.last == "Authorization: Basic c2tfbGl2ZV8xOg==")
    #expect(headers.headers.isEmpty)
    let variable = try #require(report(headers).headerVariable)
    #expect(variable == ("SHOP_TOKEN", "Authorization: Basic …"))
  }

  @Test(arguments: [true, false]) func whatTheVariablesHoldIsSaid(isUser: Bool) throws {
    var headers = CallHeaders()
    if isUser { try headers.add(user: "ada:geheim") }
    let advice = try report(headers).advice
    #expect(advice.count == (isUser ? 2 : 0))
    #expect(advice.first.map { $0.hasSuffix("is the password of ada alone") } ?? !isUser)
    #expect(!advice.contains { $0.contains("geheim") })
  }

  @Test(arguments: ["", "ada", ":", "a b:", "a b:c"]) func whatIsNoUserIsRefused(text: String) {
    var headers = CallHeaders()
    #expect(throws: CallHeaders.Fault.notAUser) { try headers.add(user: text) }
  }

  @Test func aSecondSecretIsRefused() throws {
    var headers = CallHeaders()
    try headers.add(user: "ada:secret")
    #expect(throws: CallHeaders.Fault.manySecrets) { try headers.add(header: "X-Key: secret") }
  }
}
