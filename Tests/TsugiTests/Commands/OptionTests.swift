import ArgumentParser
import Simulator
import Testing

@testable import tsugi

@Suite struct OptionTests {
  @Test(arguments: [
    (["simulate", "--port", "65536"], "--port", "0 to 65535"),
    (["simulate", "--port", "x"], "--port", "0 to 65535"),
    (["simulate", "--items", "-1"], "--items", "0 to 10000000"),
    (["simulate", "--seed", "1.5"], "--seed", "whole number"),
    (["simulate", "--drift", "insert=1001"], "--drift", "0 to 1000"),
    (["simulate", "--drift", "grow=1"], "--drift", "insert"),
    (["simulate", "--ties", "1.1"], "--ties", "0 to 1"),
    (["simulate", "--fault", "reset"], "--fault", "KIND=P"),
    (["simulate", "--fault", "earthquake=1"], "--fault", "502html"),
    (["simulate", "--budget", "0"], "--budget", "1 to 1000000"),
    (["simulate", "--latency", "600001"], "--latency", "0 to 600000"),
    (["serve", "--port", "-1"], "--port", "0 to 65535"),
    (["serve", "--demo-items", "1000001"], "--demo-items", "0 to 1000000"),
    (["serve", "--demo-items", "5"], "--demo-items", "--demo only"),
    (["serve", "--hots", "h"], "--hots", "serve"),
    (["walk", "items"], "URL", "http or https"),
    (["walk", "http://h/", "--limit", "0"], "--limit", "from 1 on"),
    (["walk", "http://h/", "--format", "xml"], "--format", "ndjson"),
    (["warm", "items"], "URL", "http or https"),
    (["warm", "http://h/v1/qiita/items?limit=5"], "URL", "no parameter but query"),
    (["warm", "http://h/", "--items", "0"], "--items", "1 to 1000000"),
    (["health", "--url", "h:8080"], "--url", "http or https"),
    (["status", "h:8080"], "URL", "http or https"),
  ])
  func namesTheOptionAndWhatIsAllowed(
    _ arguments: [String], _ option: String, _ allowed: String
  ) {
    let message = usageMessage(arguments)
    #expect(message.contains(option))
    #expect(message.contains(allowed))
  }

  @Test(arguments: [
    [], ["--port", "0"], ["--port", "65535"], ["--drift", "insert=1000,delete=0.5,late=0"],
    ["--ties", "0"], ["--ties", "1"], ["--fault", "502html=0.1", "reset=1", "--items", "0"],
    ["--fault", "cut=0", "--fault", "cut=1"], ["--budget", "1"], ["--latency", "600000"],
    ["--data", "a.json", "b.json", "--seed", "9223372036854775807"],
  ])
  func takesWhatIsAllowed(_ options: [String]) throws {
    _ = try Tsugi.parseAsRoot(["simulate"] + options)
  }

  @Test func takesEveryDataFile() throws {
    let simulate = try Simulate.parse(["--data", "a", "b", "--data", "c", "--port", "1"])
    #expect(simulate.data == ["a", "b", "c"])
    #expect(simulate.port == 1)
  }

  @Test(arguments: [
    ([:], 8080), (["TSUGI_SERVER_PORT": "9090"], 9090), (["TSUGI_SERVER_PORT": ""], 8080),
    // What Kubernetes writes beside a service that is named so.
    (["TSUGI_SERVER_PORT": "tcp://10.0.0.1:80"], 8080),
    (["TSUGI_SERVER_PORT": "65536"], 8080),
    (["TSUGI_SERVER_PORT": "9090", "TSUGI_SERVER_PROT": "1"], 9090),
  ])
  func asksForHealthWhereItsEnvironmentServes(_ environment: [String: String], _ port: Int) {
    #expect(HealthURL(environment: environment).text == "http://127.0.0.1:\(port)")
  }

  @Test(arguments: [
    (["srve"], "did you mean tsugi serve?"), (["sever"], nil),
    (["store", "stauts", "x"], "did you mean tsugi store status?"), (["serve", "--prot"], nil),
    (["walk", "wark"], nil), (["--hlep"], nil), ([], nil), (["frobnicate"], nil),
    (["docter"], "did you mean tsugi doctor?"),
  ])
  func asksBackForASubcommand(_ arguments: [String], _ question: String?) {
    #expect(Tsugi.question(for: arguments) == question)
  }

  /// What is printed for a command line that must be refused with 64.
  private func usageMessage(_ arguments: [String]) -> String {
    do {
      _ = try Tsugi.parseAsRoot(arguments)
      Issue.record("taken: \(arguments)")
      return ""
    } catch {
      #expect(Tsugi.exitCode(for: error).rawValue == 64)
      return Tsugi.fullMessage(for: error)
    }
  }
}
