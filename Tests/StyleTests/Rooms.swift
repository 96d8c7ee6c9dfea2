/// Which room of a target may use which: a room is a folder, and a use is the name of a type that a
/// file of another room declares.
///
/// The rooms of each target stand in the order in which they build on each other, so no two of them
/// use each other in a circle. A new arrow needs a reason in the commit that adds it here.
enum Rooms {
  /// The most Swift files of one folder.
  static let filesMax = 20

  /// A room of a target, and the rooms it may use, all of which stand before it.
  struct Room {
    /// Its folder in the target's; empty for the target's own.
    let name: String
    let uses: Set<String>

    init(_ name: String, uses: Set<String> = []) {
      (self.name, self.uses) = (name, uses)
    }
  }

  static let allowed: [String: [Room]] = [
    "Feed": [
      Room("Values"),
      Room("Upstream", uses: ["Values"]),
      Room("Calls", uses: ["Values", "Upstream"]),
      Room("Doubts", uses: ["Values", "Upstream", "Calls"]),
      Room("Timeline", uses: ["Values", "Doubts"]),
      Room("Storage", uses: ["Values", "Upstream", "Timeline", "Calls"]),
      Room("Proof", uses: ["Values", "Upstream", "Timeline", "Doubts", "Storage"]),
      Room("Slices", uses: ["Values", "Upstream", "Timeline", "Storage"]),
      Room(
        "Planning",
        uses: [
          "Values", "Upstream", "Timeline", "Calls", "Doubts", "Storage", "Proof", "Slices",
        ]),
      Room(
        "Pagers",
        uses: ["Values", "Upstream", "Timeline", "Calls", "Proof", "Planning"]),
      Room(
        "Serving",
        uses: [
          "Values", "Upstream", "Timeline", "Calls", "Doubts", "Storage", "Slices", "Planning",
        ]),
    ],
    "Engine": [
      Room("Reading"),
      Room("Calling"),
      Room("Keeping", uses: ["Reading", "Calling"]),
      Room("Landing", uses: ["Keeping"]),
      Room("Reader", uses: ["Reading", "Calling", "Keeping", "Landing"]),
      Room("Housekeeping", uses: ["Reader"]),
    ],
    "Merge": [
      Room("Rules"),
      Room("Reading", uses: ["Rules"]),
      Room("", uses: ["Rules", "Reading"]),
    ],
    "HTTP": [
      Room("Sockets"),
      Room("Process", uses: ["Sockets"]),
      Room("Messages", uses: ["Sockets"]),
      Room("Ready", uses: ["Sockets", "Messages"]),
      Room("Handling", uses: ["Sockets", "Messages", "Ready"]),
      Room("Loop", uses: ["Sockets", "Messages", "Ready", "Handling"]),
      Room("", uses: ["Sockets", "Process", "Messages", "Handling", "Loop"]),
    ],
    "Probe": [
      Room("Answers"),
      Room("Report", uses: ["Answers"]),
      Room("Questions", uses: ["Answers", "Report"]),
      Room("", uses: ["Answers", "Report", "Questions"]),
    ],
    "Proxy": [
      Room("Time"),
      Room("Sources"),
      Room("Requests", uses: ["Sources"]),
      Room("Access", uses: ["Requests"]),
      Room("Replies", uses: ["Requests"]),
      Room("Memory", uses: ["Requests"]),
      Room("Metrics", uses: ["Requests"]),
      Room("Events", uses: ["Time", "Sources", "Requests", "Replies", "Memory"]),
      Room("OpenAPI", uses: ["Sources", "Requests"]),
      Room("Explorer", uses: ["Requests", "Replies"]),
      Room(
        "Service",
        uses: [
          "Time", "Sources", "Requests", "Access", "Replies", "Memory",
          "Metrics", "Events", "OpenAPI", "Explorer",
        ]),
      Room(
        "Slices",
        uses: ["Sources", "Requests", "Replies", "Memory", "Metrics", "Service"]),
      Room("Raw", uses: ["Sources", "Requests", "Service", "Slices"]),
      Room(
        "Gateway", uses: ["Sources", "Requests", "Explorer", "Service", "Slices", "Raw"]),
      Room("Server", uses: ["Time", "Sources", "Requests", "Service", "Gateway"]),
    ],
  ]

  /// What the files of Sources use against the table, and what stands in the table without a use.
  static func offences(
    _ files: [SourceFile], allowed: [String: [Room]] = Rooms.allowed
  ) -> [Offence] {
    allowed.sorted { $0.key < $1.key }.flatMap { target, rooms in
      offences(files.filter { $0.path.hasPrefix("Sources/\(target)/") }, of: target, rooms)
    }
  }

  /// The folders of more files than ``filesMax``.
  static func crowded(_ files: [SourceFile]) -> [Offence] {
    Dictionary(grouping: files) { $0.path.split(separator: "/").dropLast().joined(separator: "/") }
      .filter { $0.value.count > filesMax }.sorted { $0.key < $1.key }
      .map { folder, files in
        Offence(path: folder, line: 1, message: "\(files.count) files, more than \(filesMax)")
      }
  }

  private static func offences(
    _ files: [SourceFile], of target: String, _ rooms: [Room]
  ) -> [Offence] {
    var homes: [String: String] = [:]
    for file in files {
      for name in declared(in: file, atTop: true) { homes[name] = room(of: file) }
    }
    var unused = Dictionary(
      rooms.map { ($0.name, $0.uses) }, uniquingKeysWith: { first, _ in first })
    var found: [Offence] = []
    for file in files {
      let home = room(of: file)
      guard let uses = rooms.first(where: { $0.name == home })?.uses else {
        found.append(Offence(path: file.path, line: 1, message: "\(home) is no room of \(target)"))
        continue
      }
      let own = declared(in: file, atTop: false)
      for (index, token) in file.tokens.enumerated() {
        guard let other = homes[token.text], other != home, !own.contains(token.text),
          index == 0 || file.tokens[index - 1].text != "."
        else { continue }
        unused[home]?.remove(other)
        if !uses.contains(other) {
          let message = "\(home) uses \(token.text) of \(other)"
          found.append(Offence(path: file.path, line: token.line, message: message))
        }
      }
    }
    for room in rooms {
      for other in (unused[room.name] ?? []).sorted() {
        let message = "\(room.name) of \(target) uses nothing of \(other): take it out of the table"
        found.append(Offence(path: "Tests/StyleTests/Rooms.swift", line: 1, message: message))
      }
    }
    return found
  }

  private static func room(of file: SourceFile) -> String {
    let folders = file.path.split(separator: "/").dropFirst(2).dropLast()
    return folders.first.map(String.init) ?? ""
  }

  /// The names of the types that a file declares; those inside others only where told.
  private static func declared(in file: SourceFile, atTop: Bool) -> Set<String> {
    let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var names: Set<String> = []
    var depth = 0
    for (index, token) in file.tokens.enumerated() {
      if token.text == "{" { depth += 1 }
      if token.text == "}" { depth -= 1 }
      guard kinds.contains(token.text), depth == 0 || !atTop,
        file.tokens.indices.contains(index + 1)
      else { continue }
      names.insert(file.tokens[index + 1].text)
    }
    return names
  }
}
