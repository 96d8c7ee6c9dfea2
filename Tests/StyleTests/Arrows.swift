/// Which target may import which module: a core, and extras around it.
///
/// A new arrow needs a reason in the commit that adds it here.
enum Arrows {
  /// The targets that read an upstream's pages into feeds and serve them. They import no extra, so
  /// each extra can be deleted by its target.
  static let core: Set = [
    "Bytes", "Engine", "Feed", "Freshness", "HTTP", "JSONBytes", "Proxy", "SQLiteStore", "Wire",
  ]

  /// The modules of Swift and the system that an adapter may use.
  private static let system: Set = ["Dispatch", "Glibc", "Synchronization"]

  /// What each target may import. `tsugi` is not named: it wires everything.
  static let allowed: [String: Set<String>] = [
    // The pure centre.
    // Glibc: to copy memory.
    "Bytes": ["Glibc"],
    "Feed": ["Bytes"],
    "JSONBytes": ["Bytes"],
    "Wire": [],
    // Feed: the clock, the budget's errands, and how a store fails.
    "Freshness": ["Bytes", "Feed"],
    // What performs the rules.
    "Engine": ["Feed", "Synchronization"],
    "BufferedStore": ["Bytes", "Feed", "Synchronization"],
    "RawCache": ["Feed", "Freshness", "Synchronization"],
    // One feed over several, of which it sees no more than any reader does.
    "Merge": ["Bytes", "Feed", "Synchronization"],
    // The adapters around it. The stores see each other, no other adapter does.
    "HTTP": system.union(["Bytes", "CEpoll"]),
    // Freshness: the raw route's answers.
    "SQLiteStore": system.union(["CSQLite", "Feed", "Freshness"]),
    "SharedStore": ["Feed", "SQLiteStore", "Synchronization"],
    "PostgreSQLStore": system.union([
      "Bytes", "CPostgreSQL", "Feed", "Freshness", "JSONBytes", "SharedStore",
    ]),
    // Freshness: the raw route's calls, and their answers.
    "Upstream": system.union(["Bytes", "CCurl", "CZlib", "Feed", "Freshness", "JSONBytes"]),
    // What an operator may set. HTTP, Upstream: a text that is read becomes the adapters' own type,
    // so what was read can be used.
    "Settings": ["Bytes", "Feed", "Freshness", "HTTP", "JSONBytes", "Upstream"],
    // Upstream: what is found of an API is a recipe, in the terms of the reader of recipes.
    // Freshness: the fields of an answer.
    "Probe": ["Bytes", "Feed", "Freshness", "JSONBytes", "Upstream"],
    // What joins them.
    // CZlib: answers are compressed where they are kept, since only there it is done once.
    // CMalloc: what rendering leaves behind is given back by who counts it.
    "Proxy": system.union([
      "Bytes", "CMalloc", "CZlib", "Feed", "FoundationEssentials", "Freshness", "HTTP",
      "JSONBytes", "Logging", "Wire",
    ]),
    // Several servers on one PostgreSQL. Proxy: its executor, and how failures are logged.
    "Sharing": system.union([
      "Bytes", "Engine", "Feed", "Freshness", "Logging", "PostgreSQLStore", "Proxy",
      "SQLiteStore", "Settings", "SharedStore",
    ]),
    // What puts a whole server together. CExplorer: the bytes of the page.
    "Assembly": system.union([
      "BufferedStore", "Bytes", "CExplorer", "Engine", "Feed", "Freshness", "HTTP", "Logging",
      "Merge", "Proxy", "RawCache", "SQLiteStore", "Settings", "Sharing", "Upstream",
    ]),
    "Simulator": system.union(["Bytes", "HTTP", "JSONBytes"]),
    // What an app imports: nothing of the server. Synchronization is for what is built on Linux
    // alone: it is newer than the oldest system of a phone.
    "TsugiClient": [
      "Foundation", "FoundationNetworking", "Network", "Observation", "SwiftUI", "Synchronization",
      "Wire",
    ],
    // One store on disk for all lists of an app.
    "TsugiStore": ["CSQLite", "Dispatch", "Foundation", "TsugiClient"],
    // What an app's own tests import beside it.
    "TsugiClientTesting": ["Foundation", "TsugiClient"],
  ]

  /// The imports of a file of Sources that its target may not have.
  static func forbiddenImports(_ file: SourceFile) -> [Offence] {
    let folders = file.path.split(separator: "/")
    guard folders.count > 2, folders[0] == "Sources", folders[1] != "tsugi" else { return [] }
    let target = String(folders[1])
    return file.tokens.indices.compactMap { index in
      guard let module = moduleImported(at: index, in: file),
        allowed[target]?.contains(module) != true
      else { return nil }
      return Offence(
        path: file.path, line: file.tokens[index].line, message: "\(target) imports \(module)")
    }
  }

  /// The extras that a target of the core may import, by `allowed`.
  static func extrasOfTheCore(_ allowed: [String: Set<String>] = allowed) -> [String] {
    let extras = Set(allowed.keys).subtracting(core)
    return core.sorted().flatMap { target in
      // The page's bytes are a C target, which `allowed` does not name.
      (allowed[target] ?? []).intersection(extras.union(["CExplorer", "CPostgreSQL", "CCurl"]))
        .sorted().map { "\(target) imports \($0)" }
    }
  }

  /// Imports of what a build without the trait PostgreSQL has not, outside `#if PostgreSQL`.
  static func importsWithoutTrait(_ file: SourceFile) -> [Offence] {
    let behind: Set = ["CPostgreSQL", "PostgreSQLStore", "Sharing"]
    let folders = file.path.split(separator: "/").map(String.init)
    guard folders.count > 2, folders[0] == "Sources", !behind.contains(folders[1])
    else { return [] }
    var hasTrait = false
    return file.lines.enumerated().compactMap { index, line in
      if line.hasPrefix("#") { hasTrait = line == "#if PostgreSQL" }
      let words = line.split(separator: " ").map(String.init)
      guard words.contains("import"), let module = words.last, behind.contains(module), !hasTrait
      else { return nil }
      return Offence(path: file.path, line: index + 1, message: "\(module) needs #if PostgreSQL")
    }
  }

  /// The module named by the `import` at `index`, past a kind as in `import struct Feed.Item`.
  private static func moduleImported(at index: Int, in file: SourceFile) -> String? {
    guard file.tokens[index].text == "import" else { return nil }
    let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    return file.tokens[(index + 1)...].first { !kinds.contains($0.text) }?.text
  }
}
