import Foundation
import Testing

@testable import Proxy

/// The README names whatever a configuration may hold.
struct ReadmeTests {
  @Test func namesEveryConfigurationKey() throws {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(!Configuration.keys.isEmpty)
    for key in Configuration.keys where !readme.contains("`\(key)`") {
      Issue.record("README.md does not name `\(key)`")
    }
  }
}
