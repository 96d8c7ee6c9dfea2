import Testing

@testable import Freshness

/// Which of a client's fields go upstream.
@Suite struct ForwardedFieldsTests {
  private func forwards(_ name: String, by names: [String]) -> Bool {
    !ForwardedFields(names).forwarded(of: [FieldLine(name, "1")]).lines.isEmpty
  }

  @Test(arguments: [
    "Authorization", "Base-Url", "CF-Connecting-IP", "Client-IP", "Cookie", "Fastly-Client-IP",
    "Forwarded", "Forwarded-For", "Proxy-Client-IP", "Request-URI", "True-Client-IP",
    "X-Client-IP", "X-Cluster-Client-IP", "X-Forward-For", "X-Forwarded", "X-Forwarded-Host",
    "X-Forwarded-Prefix", "X-Forwarded-Scheme", "X-Host", "X-Host-Override", "X-HTTP-Host-Override",
    "X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override", "X-Middleware-Subrequest",
    "X-Original-Host", "X-Original-URL", "X-Originating-IP", "X-Proxy-Url", "X-Real-IP",
    "X-Remote-Addr", "X-Rewrite-URL", "X_Original_URL", "x_forwarded_host", "X-Override-URL",
  ])
  func whatReroutesARequestMustBeNamed(_ name: String) {
    #expect(!forwards(name, by: ["*"]))
    #expect(forwards(name, by: ["*", name.uppercased()]))
  }

  @Test(arguments: [
    "Accept", "Accept-Language", "DNT", "From", "Origin", "Referer", "User-Agent", "X-A",
    "X-Api-Version", "X-Requested-With", "X-Request-Id",
  ])
  func everyOtherFieldIsMeantByAStar(_ name: String) {
    #expect(forwards(name, by: ["*"]))
    #expect(!forwards(name, by: ["X-Other"]))
  }
}
