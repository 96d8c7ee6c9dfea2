import Foundation
import HTTP
import Testing

/// `tsugi doctor` as a process, before upstreams that answer or do not.
@Suite(.timeLimit(.minutes(10))) struct DoctorCommandTests {
  /// A configuration of one source at a base URL; port 0 is always free.
  private func configuration(
    _ baseURL: String, port: Int = 0, store: String = "tsugi.sqlite", more: String = ""
  ) -> [String: String] {
    [
      "config.json": """
      {"server":{"port":\(port)},"store":{"path":"\(store)"},
       "sources":{"a":{"kind":"qiita","baseURL":"\(baseURL)"}\(more)}}
      """
    ]
  }

  private func lines(_ command: RunningCommand) throws -> [String] {
    String(decoding: try command.output(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Where nothing listens.
  private let nowhere = "http://127.0.0.1:1/api/v2"

  @Test func findsNothingWrongBeforeTheFirstStart() async throws {
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "50"])
    let base = try #require(try await upstream.servedAddress())
    let doctor = try RunningCommand(
      ["doctor"], files: configuration("\(base)"))
    #expect(await doctor.exitCode() == 0)
    let lines = try lines(doctor)
    for line in [
      "ok    configuration: config.json", "ok    store: tsugi.sqlite is not there yet",
      "ok    port: 127.0.0.1:0 is free", "ok    upstream a: \(base) answers",
      "ok    budget a: 59 of 60 calls left", "ok    clock: within 60 s",
    ] {
      #expect(lines.contains { $0.hasPrefix(line) }, "\(line): \(lines)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: doctor.directory.path)
    #expect(left.sorted() == ["config.json", "output"])
  }

  @Test func findsNothingWrongBesideTheServer() async throws {
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "50"])
    let base = try #require(try await upstream.servedAddress())
    let serve = try RunningCommand(["serve"], files: configuration("\(base)"))
    let port = try await port(of: serve)
    let store = serve.directory.appendingPathComponent("tsugi.sqlite").path
    let doctor = try RunningCommand(
      ["doctor"], files: configuration("\(base)", port: port, store: store))
    #expect(await doctor.exitCode() == 0)
    let lines = try lines(doctor)
    #expect(lines.contains { $0.hasSuffix("is used by the running server, which is ready") })
    #expect(lines.contains { $0.hasSuffix(", in use by a running server") })
  }

  @Test func endsWith78ForAConfigurationThatIsWrong() async throws {
    let doctor = try RunningCommand(
      ["doctor"], files: ["config.json": #"{"server":{"port":-1,"hots":1}}"#])
    #expect(await doctor.exitCode() == 78)
    let lines = try lines(doctor)
    #expect(lines.count == 2)
    for place in ["server.port: ", "server.hots: "] {
      #expect(lines.contains { $0.hasPrefix("FAIL  configuration: \(place)") })
    }
  }

  @Test func saysThatThePortIsTaken() async throws {
    let other = Server { $1.send(Response(status: 200)) }
    let address = try other.start()
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "50"])
    let base = try #require(try await upstream.servedAddress())
    let doctor = try RunningCommand(
      ["doctor"], files: configuration("\(base)", port: address.port))
    #expect(await doctor.exitCode() == 1)
    let failed = try lines(doctor).filter { $0.hasPrefix("FAIL") }
    #expect(
      failed == [
        "FAIL  port: \(address) is taken: end what listens there, or set server.port"
      ])
    await other.stop(drain: .zero)
  }

  @Test func saysThatAnUpstreamOrAFileIsAway() async throws {
    let doctor = try RunningCommand(
      ["doctor"],
      files: configuration(nowhere, more: #","f":{"kind":"file","path":"none.json"}"#))
    #expect(await doctor.exitCode() == 1)
    let failed = try lines(doctor).filter { $0.hasPrefix("FAIL") }
    #expect(failed.count == 2)
    #expect(failed.first?.hasPrefix("FAIL  upstream a: \(nowhere): ") == true)
    #expect(failed.last?.hasPrefix("FAIL  file f: none.json: ") == true)
  }

  @Test(arguments: [
    ("none/tsugi.sqlite", "cannot be written"), ("notes", "this file is no database"),
  ])
  func saysThatTheStoreIsImpossible(_ path: String, _ reason: String) async throws {
    var files = configuration(nowhere, store: path)
    files["notes"] = "Bread, milk, and a longer list of things.\n"
    let doctor = try RunningCommand(["doctor"], files: files)
    #expect(await doctor.exitCode() == 1)
    let line = try #require(try lines(doctor).first { $0.hasPrefix("FAIL  store: ") })
    #expect(line.contains(reason))
  }

  @Test func saysWhatToDoWithoutCalls() async throws {
    let upstream = try RunningCommand(["simulate", "--port", "0", "--items", "50", "--budget", "1"])
    let base = try #require(try await upstream.servedAddress())
    let doctor = try RunningCommand(["doctor"], files: configuration("\(base)"))
    #expect(await doctor.exitCode() == 1)
    let line = try #require(try lines(doctor).first { $0.contains("  budget a: ") })
    #expect(line.hasPrefix("FAIL  budget a: 0 of 1 calls left until 20"))
  }
}
