import Foundation
import Support

/// The package these tests belong to, as it lies on the disk.
enum Repository {
  /// The files of Sources and Tests and the manifest, those in Swift and in C, sorted by path.
  static let sources: [SourceFile] = {
    let all = ["Package.swift"] + paths(below: "Sources") + paths(below: "Tests")
    return all.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".h") || $0.hasSuffix(".c") }
      .compactMap(read)
  }()

  /// The files that begin as a script does.
  static let scripts: [SourceFile] = (paths(below: ".ci") + paths(below: "docker"))
    .compactMap(read).filter { $0.lines.first?.hasPrefix("#!") == true }

  /// The pages of documentation, sorted by path.
  static let pages: [(path: String, text: String)] = {
    let all = ["README.md"] + ["Sources", "Tests", "docker"].flatMap(paths)
    return all.filter { $0.hasSuffix(".md") }.compactMap { path in
      text(of: path).map { (path, $0) }
    }
  }()

  static var swiftFiles: [SourceFile] { sources.filter { $0.path.hasSuffix(".swift") } }

  /// What git keeps at the top level; nil where git or its record is missing, as in an archive.
  static let trackedTopLevel: Set<String>? = {
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "-C", Checkout.root.path, "ls-files", "-z"]
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    // Both failures mean the same: there is nothing to look at, and the test says that it is off.
    guard (try? git.run()) != nil, let bytes = try? output.fileHandleForReading.readToEnd()
    else { return nil }
    git.waitUntilExit()
    guard git.terminationStatus == 0 else { return nil }
    let paths = String(decoding: bytes, as: UTF8.self).split(separator: "\0")
    return Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) })
  }()

  /// Whether a file or a folder is there, by its path from the root.
  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Checkout.root.appending(path: path).path)
  }

  /// The text of a file, by its path from the root; nil when it is not there.
  static func text(of path: String) -> String? {
    try? Checkout.text(of: path)
  }

  private static func read(_ path: String) -> SourceFile? {
    text(of: path).map { SourceFile(path: path, text: $0) }
  }

  private static func paths(below folder: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: Checkout.root.appending(path: folder).path)
    return (found?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }.sorted()
  }
}
