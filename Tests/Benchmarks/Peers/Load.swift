import Foundation

/// A measurement of wrk, held to the second processor.
struct Load {
  var requestsPerSecond: Double
  var requests: Double
  var p50Milliseconds: Double
  var p99Milliseconds: Double

  /// Asks `target` from so many connections for some seconds, or what wrk's `script` says.
  init(
    _ server: RunningServer, _ target: String, connections: Int = 64, seconds: Int,
    _ lines: [String] = [], script: String? = nil
  ) throws {
    let script = script.map { "-s '\($0)' " } ?? ""
    let fields = lines.map { "-H '\($0)'" }.joined(separator: " ")
    let text = try output(
      of: "taskset -c 1 wrk -t 1 -c \(connections) -d \(seconds)s --latency \(script)\(fields) "
        + "'http://127.0.0.1:\(server.port)\(target)'")
    guard !text.contains("Non-2xx or 3xx"), !text.contains("Socket errors"),
      let rate = text.firstMatch(of: /Requests\/sec:\s+([0-9.]+)/).flatMap({ Double($0.output.1) }),
      let count = text.firstMatch(of: /([0-9]+) requests in/).flatMap({ Double($0.output.1) }),
      let p50 = text.firstMatch(of: /50%\s+([0-9.]+)([a-z]+)/),
      let p99 = text.firstMatch(of: /99%\s+([0-9.]+)([a-z]+)/)
    else { throw Child.Failure(description: "\(server.name) failed:\n\(text)") }
    requestsPerSecond = rate
    requests = count
    p50Milliseconds = Load.milliseconds(p50.output.1, p50.output.2)
    p99Milliseconds = Load.milliseconds(p99.output.1, p99.output.2)
  }

  private static func milliseconds(_ number: Substring, _ unit: Substring) -> Double {
    let scale = ["us": 0.001, "ms": 1, "s": 1000, "m": 60_000][String(unit)] ?? .nan
    return (Double(number) ?? .nan) * scale
  }
}

/// Whether a program can be found.
func isInstalled(_ program: String) -> Bool {
  ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin"].contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
  }
}
