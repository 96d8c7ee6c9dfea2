import Crowd
import Foundation
import Glibc
import JSONBytes
import Testing
import Upstream

/// `tsugi serve`, `walk` and `health` as processes.
@Suite(.timeLimit(.minutes(10))) struct ServeCommandTests {
  private static let demo = ["serve", "--demo", "--demo-items", "300", "--port", "0"]

  @Test func walksTheDemoToItsEnd() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve)
    let walk = try RunningCommand(["walk", "\(url)/v1/qiita/items?limit=100"])
    #expect(await walk.exitCode() == 0)
    let lines = try walk.output().split(separator: UInt8(ascii: "\n"))
    let ids = try lines.map { line in
      try JSON.validate(line)
      return try #require(try JSON.member("id", of: line).map { Array(line[$0]) })
    }
    // The demo drifts by some items while it is read, and never serves its newest second.
    #expect((280...320).contains(ids.count))
    #expect(Set(ids).count == ids.count)
    #expect(walk.errorText.last?.hasPrefix("\(ids.count) items in ") == true)
    #expect(walk.errorText.last?.hasSuffix(", fresh, endReason: end") == true)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    #expect(serve.errorText.last?.contains(#""message":"stopped""#) == true)
  }

  @Test func leavesNothingOfTheDemoBehind() async throws {
    let serve = try RunningCommand(Self.demo)
    let line = try #require(await serve.errorLine(with: #""message":"demo""#))
    let store = try #require(try text("store", of: line))
    _ = try await address(of: serve)
    #expect(FileManager.default.fileExists(atPath: store))
    serve.signal(SIGINT)
    #expect(await serve.exitCode() == 0)
    let directory = URL(fileURLWithPath: store).deletingLastPathComponent().path
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  /// Each loop has a listener of its own, and they share the port.
  @Test func hasALoopForEachProcessorItMayUse() async throws {
    let allowed = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      .firstMatch(of: /Cpus_allowed_list:\s*([0-9]+)/)
    let one = try #require(allowed).output.1
    let serve = try RunningCommand(Self.demo, after: "taskset -p -c \(one) $$ >/dev/null")
    let port = try await port(of: serve)
    // Not as a text of the file: Foundation takes the first part that the system gives for all.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/net/tcp"))
    let sockets = try #require(try file.readToEnd())
    let ending = String(format: ":%04X 00000000:0000 0A", port)
    let count = String(decoding: sockets, as: UTF8.self).split(separator: "\n")
      .count { $0.contains(ending) }
    #expect(count == 1)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test func isHealthyWhileItServes() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve)
    #expect(await (try RunningCommand(["health", "--url", url])).exitCode() == 0)
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    #expect(await (try RunningCommand(["health", "--url", url])).exitCode() == 1)
  }

  @Test(arguments: [
    ("/v1/qiita/nothing", "404 feed_not_found"),
    ("/v1/qiita/items?limti=5", "400 invalid_parameter"),
  ])
  func showsTheServersProblem(_ target: String, _ problem: String) async throws {
    let serve = try RunningCommand(Self.demo)
    let walk = try RunningCommand(["walk", try await address(of: serve) + target])
    #expect(await walk.exitCode() == 1)
    #expect(walk.errorText.last?.contains(problem) == true)
  }

  @Test func asksForAKeyWhereOneIsSet() async throws {
    let serve = try RunningCommand(
      Self.demo, files: ["config.json": #"{"server":{"apiKeys":["0123456789"]}}"#])
    let target = try await address(of: serve) + "/v1/qiita/items"
    let walk = try RunningCommand(["walk", target])
    #expect(await walk.exitCode() == 1)
    #expect(walk.errorText.last?.contains("401 unauthorized") == true)
    for (command, key, code) in [
      (["walk", target + "?limit=100"], "0123456789\n", 0), (["warm", target], " 0123456789", 0),
      (["walk", target], "9876543210", 1), (["walk", target], "", 64),
      (["warm", target], "a b", 64),
    ] as [([String], String, Int32)] {
      let asking = try RunningCommand(command + ["--key-file", "key"], files: ["key": key])
      #expect(await asking.exitCode() == code)
      #expect(!asking.errorText.contains { $0.contains("0123456789") })
    }
    #expect(!serve.errorText.contains { $0.contains("0123456789") })
  }

  @Test func logsEachUpstreamCall() async throws {
    let serve = try RunningCommand(Self.demo)
    let url = try await address(of: serve)
    _ = try await UpstreamClient(version: "test").reply(from: "\(url)/v1/qiita/items?limit=5")
    let line = try #require(await serve.errorLine(with: #""message":"upstream call""#))
    #expect(line.contains(#""page":1,"path":"items","perPage":30,"purpose":"reader""#))
    #expect(line.contains(#""remaining":4999"#))
  }

  /// A person at a terminal is told what to try; a pipe gets JSON alone.
  @Test func tellsAPersonWhatToTry() async throws {
    let serve = try RunningCommand(Self.demo + ["--log-format", "text"])
    let look = try #require(await serve.errorLine(with: "  Look: "))
    let page = try #require(look.split(separator: " ").first { $0.hasPrefix("http") })
    #expect(try await UpstreamClient(version: "test").reply(from: String(page)).status == 200)
    let line = try #require(await serve.errorLine(with: "  Try: curl "))
    let address = try #require(line.split(separator: "\"").last)
    let reply = try await UpstreamClient(version: "test").reply(from: String(address))
    #expect(reply.status == 200)
    let edit = try #require(await serve.errorLine(with: "  Edit /"))
    let path = String(try #require(edit.split(separator: " ")[1].split(separator: ",").first))
    #expect(path.hasSuffix("/tickets.ndjson") && FileManager.default.fileExists(atPath: path))
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    #expect(serve.errorText.contains { $0.contains("Tsugi is at http://127.0.0.1:") })
    #expect(!serve.errorText.contains { $0.hasPrefix("{") })
  }

  /// `BROWSER` is asked first; what it does, and whether it ends, is its own.
  @Test func opensThePage() async throws {
    let shown = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: shown) }
    let serve = try RunningCommand(
      Self.demo + ["--open"], files: ["browser": "#!/bin/sh\necho $1 >\(shown.path)\nsleep 1\n"],
      after: "chmod +x browser; export BROWSER=./browser")
    let page = try await address(of: serve) + "/"
    var text = ""
    while text.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
      text = (try? String(contentsOf: shown, encoding: .utf8)) ?? ""
    }
    #expect(text == page + "\n")
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }

  @Test func saysWhatIsAmissWithOpening() async throws {
    let alone = try RunningCommand(
      Self.demo + ["--open"], after: "export BROWSER=; export PATH=/nowhere")
    #expect(await alone.errorLine(with: "no program here opens a page") != nil)
    alone.signal(SIGTERM)
    #expect(await alone.exitCode() == 0)
    let off = try RunningCommand(
      ["serve", "--port", "0", "--open"],
      files: ["config.json": #"{"server":{"explorer":"off"}}"#])
    #expect(await off.exitCode() == 1)
    #expect(off.errorText.last?.contains("--open needs a page, and server.explorer is off") == true)
  }

  /// Nobody reads it, and it moves all the same, by the clock.
  @Test func theDemosEventsComeByThemselves() async throws {
    let serve = try RunningCommand(Self.demo)
    let descriptor = try connectedSocket(try await port(of: serve))
    defer { close(descriptor) }
    let request = Array("GET /v1/qiita/items:events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    try #require(send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !text.contains("data: "), case let count = recv(descriptor, &buffer, buffer.count, 0),
      count > 0
    {
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    #expect(text.contains(#"data: {"op":"upsert","#))
  }

  @Test func logsWhatIsGraveEnough() async throws {
    let serve = try RunningCommand(Self.demo + ["--log-level", "warning", "--host", "192.0.2.1"])
    #expect(await serve.exitCode() == 1)
    #expect(!serve.errorText.contains { $0.contains(#""level":"info""#) })
  }

  @Test(arguments: [true, false])
  func logsRequestsWhereItIsTold(isTold: Bool) async throws {
    let serve = try RunningCommand(Self.demo + (isTold ? ["--access-log"] : []))
    let url = try await address(of: serve)
    _ = try await UpstreamClient(version: "test").reply(from: "\(url)/v1?a=b")
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
    let line = serve.errorText.first { $0.contains(#""message":"request""#) }
    #expect((line != nil) == isTold)
    #expect(line?.contains(#""client":"127.0.0.1","method":"GET""#) ?? true)
    #expect(line?.contains(#""path":"/v1","requestId""#) ?? true)
  }

  @Test func refusesAStoreThatIsServedFrom() async throws {
    let first = try RunningCommand(["serve", "--port", "0"])
    _ = try await address(of: first)
    let path = first.directory.appendingPathComponent("tsugi.sqlite").path
    let second = try RunningCommand(
      ["serve", "--port", "0"], files: ["config.json": #"{"store":{"path":"\#(path)"}}"#])
    #expect(await second.exitCode() == 1)
    #expect(second.errorText.last?.contains("another process serves from the store") == true)
  }

  @Test(arguments: [
    ("notes.txt", "the store cannot be notes.txt: this file is no database"),
    ("none/s.sqlite", "the store cannot be none/s.sqlite: its folder is not there"),
  ])
  func refusesAPlaceThatIsNoStores(path: String, words: String) async throws {
    let config = #"{"store":{"path":"\#(path)"}}"#
    let serve = try RunningCommand(
      ["serve", "--port", "0"], files: ["config.json": config, "notes.txt": "Bread, milk."])
    #expect(await serve.exitCode() == 1)
    #expect(serve.errorText.last?.contains(words) == true)
    let notes = serve.directory.appending(path: "notes.txt")
    #expect(try String(contentsOf: notes, encoding: .utf8) == "Bread, milk.")
  }

  @Test func setsADamagedStoreAside() async throws {
    let damaged = String(repeating: "no database ", count: 1000)
    let serve = try RunningCommand(
      ["serve", "--port", "0"], files: ["tsugi.sqlite": damaged, "tsugi.sqlite-lock": ""])
    let line = try #require(await serve.errorLine(with: "set aside"))
    #expect(line.contains(#""level":"warning""#))
    let moved = try #require(try text("damaged", of: line))
    let file = serve.directory.appendingPathComponent(moved)
    #expect(try String(contentsOf: file, encoding: .utf8) == damaged)
  }

  @Test func saysWhereItCannotListen() async throws {
    // An address for documentation (RFC 5737): of no machine.
    let serve = try RunningCommand(Self.demo + ["--host", "192.0.2.1"])
    #expect(await serve.exitCode() == 1)
    #expect(serve.errorText.last?.contains("cannot listen at 192.0.2.1:0: bind: ") == true)
  }

  private func text(_ name: String, of line: String) throws -> String? {
    let bytes = Array(line.utf8)
    return try JSON.member(name, of: bytes[...]).map { range in
      String(decoding: try JSON.text(bytes[range]), as: UTF8.self)
    }
  }

  /// Started without streams, its sockets and files take no number of theirs.
  @Test func missingStandardStreamsLeadNowhere() async throws {
    let serve = try RunningCommand(
      ["serve", "--port", "0", "--demo"], after: "exec <&- >&-")
    _ = try await port(of: serve)
    for number in 0...1 {
      let target = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(serve.processID)/fd/\(number)")
      #expect(target == "/dev/null")
    }
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }
}
