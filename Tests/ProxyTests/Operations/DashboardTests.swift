import Assembly
import Foundation
import HTTP
import History
import Logging
import Settings
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

  /// The metrics that a text names, a histogram's by the name of the whole.
  private func metrics(in text: String) -> Set<String> {
    var names = Set<String>()
    for match in text.matches(of: /\b(tsugi|process)_[a-z_]+/) {
      names.insert(String(match.output.0.replacing(/_bucket$|_sum$|_count$/, with: "")))
    }
    return names
  }

  /// What the panels and the rules ask for: those of the shared store, or the others.
  private func asked(ofShared isShared: Bool) throws -> Set<String> {
    let panels = try dashboard().panels.filter { $0.title.hasPrefix("Shared store") == isShared }
    let rules = try file("prometheus.rules.yml").components(separatedBy: "- name: ")
      .filter { $0.hasPrefix("tsugi-shared-store") == isShared }
    return metrics(in: panels.flatMap { $0.targets.map(\.expr) }.joined(separator: "\n"))
      .union(metrics(in: rules.joined()))
  }

  /// What a server counts, by the types in its metrics.
  private func counted(by client: Client) throws -> Set<String> {
    let text = String(decoding: try client.get("/metrics").body, as: UTF8.self)
    return Set(
      text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        .compactMap { $0.split(separator: " ").dropFirst(2).first.map(String.init) })
  }

  /// Metrics without panel and alert: when the budget is reset, and what other numbers include.
  private static let unasked: Set = [
    "tsugi_feeds", "tsugi_store_evicted_places_total",
    "tsugi_upstream_budget_reset_timestamp_seconds",
  ]

  @Test func everyMetricIsThere() async throws {
    let asked = try asked(ofShared: false)
    try await Stand.run(try await Stand(smallWorld(3))) { stand in
      _ = try stand.client.get("/v1/qiita/items?limit=2")
      let counted = try counted(by: stand.client)
      #expect(asked.subtracting(counted).isEmpty, "\(asked.subtracting(counted).sorted())")
      #expect(counted.subtracting(asked) == Self.unasked)
    }
  }

  @Test(.enabled(if: RunningPostgreSQL.isThere, "there is no PostgreSQL here"))
  func everyMetricOfASharedStoreIsThere() async throws {
    let folder = try TemporaryDirectory("tsugi-dashboard")
    let json = """
      {"server":{"port":0},"store":{"path":"\(folder.path)/tsugi.sqlite",
      "url":"\(try #require(RunningPostgreSQL.shared).newDatabase())"},
      "sources":{"qiita":{"kind":"qiita","baseURL":"http://127.0.0.1:1"}}}
      """
    let node = try await Node(
      try Configuration.read(Array(json.utf8)),
      NodeOptions(
        version: "test", logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
    let counted = try counted(by: Client(port: try await node.start().port))
    await node.drain()
    let shared = try asked(ofShared: true)
    #expect(shared.subtracting(counted).isEmpty, "\(shared.subtracting(counted).sorted())")
    #expect(counted.subtracting(shared).subtracting(try asked(ofShared: false)) == Self.unasked)
  }

  /// Each alert says how urgent it is, and where to read what to do.
  @Test func everyAlertHasItsEntry() throws {
    let alerts = try file("prometheus.rules.yml").components(separatedBy: "- alert: ").dropFirst()
    #expect(alerts.count == 11)
    let page = try file("Alerts.md")
    for alert in alerts {
      let name = try #require(alert.split(whereSeparator: \.isWhitespace).first)
      #expect(
        alert.contains("severity: critical") || alert.contains("severity: warning"), "\(name)")
      #expect(alert.contains("runbook: docker/Alerts.md#\(name.lowercased())\n"), "\(name)")
      #expect(page.contains("\n## \(name)\n"), "\(name)")
    }
    #expect(page.components(separatedBy: "\n## ").count - 1 == alerts.count)
  }

  /// Each number is narrowed by the variable for the server, and by that for the source where it
  /// has one.
  @Test func everyPanelIsNarrowedByTheVariables() throws {
    let text = try file("grafana/tsugi.json")
    #expect(text.contains(#""query": "label_values(tsugi_build_info, instance)""#))
    #expect(text.contains(#""query": "label_values(tsugi_upstream_budget_remaining, source)""#))
    for panel in try dashboard().panels {
      let expressions = panel.targets.map(\.expr).joined(separator: "\n")
      #expect(expressions.contains(#"instance=~"$instance""#), "\(panel.title)")
      let needsSource = expressions.contains("tsugi_upstream_")
      #expect(!needsSource || expressions.contains(#"source=~"$source""#), "\(panel.title)")
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
    for file in ["prometheus.yml", "prometheus.scale.yml"] {
      try check(["check", "config", Checkout.root.appending(path: "docker/\(file)").path])
    }
  }

  /// A recipe in doubt, a full store, and a server that is gone from the list of those found.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: promtool),
      "promtool (Debian: prometheus) is not installed"))
  func theAlertsOfOneServerFire() throws {
    try testRules(
      """
      - interval: 1m
        input_series:
          - {series: 'up{job="tsugi",instance="a"}', values: '1x99 _x99'}
          - series: 'tsugi_recipe_doubtful{instance="a",source="s",sign="end"}'
            values: '0x9 2x99'
          - {series: 'tsugi_store_bytes{instance="a"}', values: '96x99'}
          - {series: 'tsugi_store_bytes{instance="b"}', values: '95x99'}
          - {series: 'tsugi_store_max_bytes{instance="a"}', values: '100x99'}
          - {series: 'tsugi_store_max_bytes{instance="b"}', values: '100x99'}
        promql_expr_test:
          - {expr: 'ALERTS{alertstate="firing"}', eval_time: 30m, exp_samples: []}
          - expr: 'count by (alertname, instance, severity) (ALERTS{alertstate="firing"})'
            eval_time: 70m
            exp_samples:
              - {labels: '{alertname="TsugiDoubtsARecipe",severity="warning"}', value: 1}
              - labels: '{alertname="TsugiStoreIsFull",instance="a",severity="warning"}'
                value: 1
          - expr: 'count by (alertname) (ALERTS{alertstate="firing",severity="critical"})'
            eval_time: 110m
            exp_samples: [{labels: '{alertname="TsugiIsDown"}', value: 1}]

      """)
  }

  /// Two servers, of which one loses PostgreSQL, lacks a change, or ends.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: promtool),
      "promtool (Debian: prometheus) is not installed"))
  func theAlertsOfTheSharedStoreFire() throws {
    try testRules(
      """
      - interval: 1m
        input_series:
          - {series: 'up{job="tsugi",instance="a"}', values: '1x100'}
          - {series: 'tsugi_store_up{instance="a"}', values: '1x3 0x10'}
          - {series: 'tsugi_store_number{instance="a",source="s"}', values: '5x20'}
          - {series: 'tsugi_store_number{instance="b",source="s"}', values: '5x3 9x20'}
          - {series: 'tsugi_replicas{instance="a"}', values: '3x3 2x100'}
        promql_expr_test:
          - {expr: 'ALERTS{alertstate="firing"}', eval_time: 3m, exp_samples: []}
          - expr: 'count by (alertname, instance) (ALERTS{alertstate="firing"})'
            eval_time: 12m
            exp_samples:
              - {labels: '{alertname="TsugiHasFewerServers"}', value: 1}
              - {labels: '{alertname="TsugiStoreIsAway",instance="a"}', value: 1}
              - {labels: '{alertname="TsugiStoreLags",instance="a"}', value: 1}
          - {expr: 'ALERTS{alertname="TsugiHasFewerServers"}', eval_time: 80m, exp_samples: []}

      """)
  }

  /// Has promtool play series and compare the alerts.
  private func testRules(_ cases: String) throws {
    let rules = Checkout.root.appending(path: "docker/prometheus.rules.yml").path
    let tests = "rule_files: [\(rules)]\ntests:\n\(cases)"
    let folder = try TemporaryDirectory("tsugi-rules")
    try Data(tests.utf8).write(to: URL(filePath: "\(folder.path)/tests.yml"))
    try check(["test", "rules", "\(folder.path)/tests.yml"])
  }

  private func check(_ arguments: [String]) throws {
    let check = try FinishedProgram([Self.promtool] + arguments)
    #expect(check.status == 0, "\(check.text)")
  }
}
