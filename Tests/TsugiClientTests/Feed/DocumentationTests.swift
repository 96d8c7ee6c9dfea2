import Foundation
import Support
import Testing

/// The code of the articles and of the README compiles, as an app would compile it.
///
/// Where there is no SwiftUI its interface is taken from Tests/SwiftUIStub, and Network's from
/// Tests/NetworkStub; the views of the client itself are compiled against them too.
@Suite(.serialized) struct DocumentationTests {
  private static let articles = [
    "TsugiClient", "AListInTenLines", "YourOwnAPI", "SeveralListsAsOne", "PullToRefresh",
    "ComingBackAfterHours", "Offline", "EditingImmediately", "LiveUpdates", "Testing", "UIKit",
    "FromListPagination",
  ]
  private let root = Checkout.root
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "tsugi-documentation-\(UUID().uuidString)")

  @Test func codeCompiles() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // It lies in a temporary folder.
    var snippets: [String] = []
    let texts =
      Self.articles.map { "Sources/TsugiClient/TsugiClient.docc/\($0).md" } + ["README.md"]
    for text in texts {
      let blocks = fencedBlocks("swift", of: try Checkout.text(of: text)).map { $0 + "\n" }
      #expect(!blocks.isEmpty, "\(text) shows no code")
      for (number, block) in blocks.enumerated() {
        let name = text.split(separator: "/").last.map { $0.dropLast(3) } ?? ""
        let file = folder.appending(path: "\(name)\(number).swift")
        try block.write(to: file, atomically: true, encoding: .utf8)
        snippets.append(file.path)
      }
    }
    #if !canImport(SwiftUI)
      try compile("SwiftUI", ["Tests/SwiftUIStub/SwiftUI.swift"])
      try compile("Network", ["Tests/NetworkStub/Network.swift"])
    #endif
    try compile("Wire", sources(in: "Sources/Wire"))
    let flags = [
      "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
      "InternalImportsByDefault", "-enable-upcoming-feature", "MemberImportVisibility",
    ]
    try compile("TsugiClient", sources(in: "Sources/TsugiClient"), flags)
    try compile("TsugiClientTesting", sources(in: "Sources/TsugiClientTesting"), flags)
    try compile(
      "TsugiStore", sources(in: "Sources/TsugiStore"),
      flags + ["-I", root.appending(path: "Sources/CSQLite").path])
    #if !canImport(UIKit)
      try compile("UIKit", ["Tests/UIKitStub/UIKit.swift"])
      try compile("os", ["Tests/UIKitStub/os.swift"])
    #endif
    let ours = ["-I", root.appending(path: "Sources/CSQLite").path]
    try compile("Documentation", snippets, ours)
    try compile("SampleApp", sources(in: "Tests/SampleApp"), ours)
  }

  /// The Swift files below a folder.
  private func sources(in path: String) -> [String] {
    let files = FileManager.default.enumerator(atPath: root.appending(path: path).path)
    return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(path)/\($0)" }
  }

  /// Compiles a module beside those that were compiled before, every warning an error.
  private func compile(_ module: String, _ files: [String], _ flags: [String] = []) throws {
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.currentDirectoryURL = root
    compiler.arguments =
      [
        "swiftc", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors",
        "-package-name", "tsugi", "-I", folder.path, "-emit-module", "-module-name", module, "-o",
        folder.appending(path: "\(module).swiftmodule").path,
      ] + flags + files
    let said = Pipe()
    compiler.standardError = said
    try compiler.run()
    let words = try said.fileHandleForReading.readToEnd() ?? Data()
    compiler.waitUntilExit()
    try #require(
      compiler.terminationStatus == 0, "\(module): \(String(decoding: words, as: UTF8.self))")
  }
}
