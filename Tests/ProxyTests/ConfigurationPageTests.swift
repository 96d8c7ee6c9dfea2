import Foundation
import Testing

@testable import Proxy

/// The page about the configuration names every key a configuration can have.
struct ConfigurationPageTests {
  @Test func namesEveryKey() throws {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    let path = "Sources/Proxy/Proxy.docc/Configuration.md"
    let page = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    #expect(!Configuration.keys.isEmpty)
    for key in Configuration.keys where !page.contains("\n| `\(key)` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }
}
