import Foundation
import Support
import Testing

@testable import Proxy

/// What docker/ brings for Prometheus and Grafana asks for what the server counts.
@Suite(.serialized) struct DashboardTests {
  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      struct Target: Decodable { var expr: String }
      struct Source: Decodable { var uid: String }
      var title: String
      var datasource: Source
      var targets: [Target]
    }
    var panels: [Panel]
  }

  private func file(_ name: String) throws -> String {
    try Checkout.text(of: "docker/\(name)")
  }

  private func dashboard() throws -> Dashboard {
    try JSONDecoder().decode(
      Dashboard.self, from: Data(try file("grafana/tsugi.json").utf8))
  }

  /// The names that begin with `tsugi_` in a text, a histogram's by the name of the whole.
  private func metrics(in text: String) -> Set<String> {
    var names = Set<String>()
    for match in text.matches(of: /tsugi_[a-z_]+/) {
      names.insert(String(match.output.replacing(/_bucket$|_sum$|_count$/, with: "")))
    }
    return names
  }

  @Test func everyMetricIsThere() async throws {
    let asked = try metrics(
      in: dashboard().panels.flatMap { $0.targets.map(\.expr) }.joined(separator: "\n")
    ).union(metrics(in: try file("prometheus.rules.yml")))
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=2")
      let text = String(decoding: try stand.client.get("/metrics").body, as: UTF8.self)
      let told = Set(
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
          .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) })
      #expect(asked.subtracting(told).isEmpty, "\(asked.subtracting(told).sorted())")
      // And nothing is counted that nobody looks at, but when the budget begins anew.
      #expect(
        told.subtracting(asked) == [
          "tsugi_feeds", "tsugi_store_evicted_places_total",
          "tsugi_upstream_budget_reset_timestamp_seconds",
        ])
    }
  }

  @Test func everyPanelAsksTheSourceThatIsProvisioned() throws {
    let source = try file("grafana/datasource.yaml")
    for panel in try dashboard().panels {
      #expect(!panel.targets.isEmpty, "\(panel.title)")
      #expect(source.contains("uid: \(panel.datasource.uid)\n"), "\(panel.title)")
    }
  }

  private static let promtool = "/usr/bin/promtool"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: promtool),
      "promtool (Debian: prometheus) is not installed"))
  func prometheusTakesItsFiles() throws {
    let check = Process()
    check.executableURL = URL(filePath: Self.promtool)
    check.arguments = [
      "check", "config",
      Checkout.root.appending(path: "docker/prometheus.yml").path,
    ]
    let output = Pipe()
    check.standardOutput = output
    check.standardError = output
    try check.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    check.waitUntilExit()
    #expect(check.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
  }
}
