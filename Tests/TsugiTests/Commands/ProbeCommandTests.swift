import Glibc
import Support
import Testing

/// From a URL to a walked feed, as a stranger goes.
@Suite(.timeLimit(.minutes(3))) struct ProbeCommandTests {
  @Test(arguments: ["page", "offset", "item", "time", "next"].sample(1))
  func whatIsFoundOutIsServed(face: String) async throws {
    let upstream = try RunningCommand(
      ["simulate", "--port", "0", "--items", "250", "--budget", "1000", "--face", face])
    let url = try #require(try await upstream.servedAddress())
    let probe = try RunningCommand(["probe", url])
    #expect(await probe.exitCode() == 0)
    let configuration = String(decoding: try probe.output(), as: UTF8.self)
    let evidence = probe.errorText.joined(separator: "\n")
    #expect(evidence.contains("pages.by: \(face)"), "\(evidence)")
    #expect(evidence.contains("250 falling") || evidence.contains("100 of 100 falling"))

    let files = ["config.json": configuration]
    let check = try RunningCommand(["check", "--probe"], files: files)
    #expect(await check.exitCode() == 0)
    #expect(check.errorText.contains { $0.contains("pages.by: ") })

    let server = try RunningCommand(["serve", "--port", "0", "--log-format", "json"], files: files)
    let base = try await address(of: server)
    // What was written just now is not settled yet.
    try await Task.sleep(for: .seconds(3))
    let walk = try RunningCommand(["walk", "\(base)/v1/api/items?limit=50"])
    #expect(await walk.exitCode() == 0)
    let walked = try walk.output().split(separator: 0x0A).count
    #expect(walked == 250, "\(walk.errorText), \(server.errorText)")
    server.signal(SIGTERM)
    upstream.signal(SIGTERM)
    _ = await server.exitCode()
    _ = await upstream.exitCode()
  }

  @Test func aRecipeThatDoesNotHoldIsTold() async throws {
    let upstream = try RunningCommand(["simulate", "--port", "0", "--face", "offset"])
    let url = try #require(try await upstream.servedAddress())
    let base = url.dropLast("/items".count)
    let files = [
      "config.json": """
      {"sources":{"s":{"kind":"http","baseURL":"\(base)","pages":{"by":"page","size":"size"},
      "feeds":{"items":{"items":"items"},"of/:user/items":{"items":"items"}}}}}
      """
    ]
    let feeds = ["of/ada/items", "items", "nothing", "of/ada"].flatMap { ["--feed", "s/\($0)"] }
    let named = try RunningCommand(["check", "--probe"] + feeds, files: files)
    #expect(await named.exitCode() == 1)
    let refused = named.errorText.filter { $0.contains("no such list") }
    #expect(refused.map { $0.split(separator: " ")[1] } == ["s/nothing:", "s/of/ada:"])
    let check = try RunningCommand(["check", "--probe"], files: files)
    #expect(await check.exitCode() == 1)
    let told = check.errorText.joined(separator: "\n")
    #expect(told.contains(#"feeds["items"].pages.by: a page asked for from rank 50 on begins at"#))
    #expect(told.contains("(wrong)"))
    #expect(told.contains("not tried; name one by --feed s/of/:user/items"))
    upstream.signal(SIGTERM)
    _ = await upstream.exitCode()
  }

  @Test func whatCannotBeLookedAtIsTold() async throws {
    let nobody = try RunningCommand(["probe", "http://127.0.0.1:1/items"])
    #expect(await nobody.exitCode() == 1)
    #expect(nobody.errorText.contains { $0.contains("nothing to write down: no answer") })
    #expect(try nobody.output().isEmpty)
    let unusable = try RunningCommand(["probe", "items"])
    #expect(await unusable.exitCode() == 64)
  }
}
