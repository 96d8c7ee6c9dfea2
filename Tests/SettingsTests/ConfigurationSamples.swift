import Upstream

@testable import Settings

/// The contract's example, in shorter lines.
let exampleConfiguration = #"""
  { "server":  { "host": "127.0.0.1", "port": 8080, "publicURL": null, "apiKeys": [],
                 "allowedOrigins": [], "allowedHosts": [], "explorer": "feeds",
                 "requestsPerMinute": 0, "trustedProxies": [], "newFeedsPerMinute": 60,
                 "maxConnections": 10000,
                 "headerSeconds": 15, "idleSeconds": 75, "drainSeconds": 10 },
    "store":   { "path": "tsugi.sqlite", "url": null, "listenURL": null, "connections": 4,
                 "localMegabytes": 4096, "migrate": true, "maxMegabytes": 4096, "maxFeeds": 10000,
                 "tombstoneDays": 30 },
    "upstream": { "waitMilliseconds": 5000, "timeoutSeconds": 30, "maxBodyMegabytes": 32 },
    "sources": {
      "qiita":  { "kind": "qiita", "baseURL": "https://qiita.com/api/v2",
                  "token": "${QIITA_TOKEN}", "exposeOwner": false, "freshSeconds": 60,
                  "staleSeconds": 86400, "recheckSeconds": 3600, "refreshSeconds": 10,
                  "prefetchItems": 100, "reserveCalls": 5, "maxInFlight": 4,
                  "newFeedShare": 0.5, "raw": null },
      "fruits": { "kind": "file", "path": "fruits.json", "id": "id", "order": "whole",
                  "time": "rfc3339" } } }
  """#

/// Reads a configuration's text.
func configuration(
  _ json: String, _ environment: [String: String] = [:],
  overrides: Configuration.Overrides = .init(), directory: String = "",
  files: [String: String] = [:]
) throws(Configuration.Problems) -> Configuration {
  try Configuration.read(
    Array(json.utf8), environment: environment, overrides: overrides, baseDirectory: directory,
    readFile: { path in files[path].map { Array($0.utf8) } })
}

/// What is wrong with a configuration's text, one line each; empty when it is sound.
func problems(
  _ json: String, _ environment: [String: String] = [:],
  overrides: Configuration.Overrides = .init(), files: [String: String] = [:]
) -> [String] {
  do throws(Configuration.Problems) {
    _ = try configuration(json, environment, overrides: overrides, files: files)
    return []
  } catch {
    return error.all.map(\.description)
  }
}

/// A configuration that says one thing: `json` under the key at `path`, `sources.<name>` being a
/// source of the kind that has it.
func document(_ path: String, _ json: String) -> String {
  let keys = path.split(separator: ".").map(String.init)
  guard keys.first == "sources" else { return #"{"\#(keys[0])": {"\#(keys[1])": \#(json)}}"# }
  let isOfFile = Configuration.fileFields.contains { $0.name == keys[2] }
  let file = keys[2] == "path" ? #""kind": "file", "# : #""kind": "file", "path": "p", "#
  let others = keys[2] == "kind" ? "" : isOfFile ? file : #""kind": "qiita", "#
  return #"{"sources": {"<name>": {\#(others)"\#(keys[2])": \#(json)}}}"#
    .replacing("<name>", with: keys[1] == "<name>" ? "s" : keys[1])
}

extension Configuration {
  /// The settings of the source `qiita`.
  var qiita: Source.Qiita? {
    guard case .qiita(let qiita) = sources["qiita"] else { return nil }
    return qiita
  }
}
