/// What the domain does not know by name or number: one upstream's limits, and its words.
///
/// How an upstream pages, what its things are called and how many calls it bears are values of a
/// source. So Feed and Engine hold neither the numbers of Qiita's API nor its words.
enum Upstreams {
  private static let rooms = ["Sources/Feed/", "Sources/Engine/"]
  private static let numbers: Set = ["100", "10_000", "60"]
  private static let words = ["\"items\"", "case items", "Qiita", "qiita"]

  /// Numbers that are our own, by file, each with what promises it.
  static let ours: [String: [String: String]] = [
    "Sources/Feed/Slices/SliceRequest.swift": ["100": "the contract's greatest `limit`"],
    "Sources/Feed/Storage/Eviction.swift": ["100": "a slice, of which the last feed's top is one"],
    "Sources/Feed/Values/Policy.swift": [
      "60": "the contract's defaults", "100": "the contract's defaults",
    ],
    "Sources/Feed/Calls/Budget.swift": ["60": "a minute's pause after a refusal"],
    "Sources/Feed/Proof/Evidence.swift": ["60": "a minute that a clock may be ahead"],
    "Sources/Engine/Reader/FeedReader+Changes.swift": ["60": "a minute's wait"],
    "Sources/Engine/Housekeeping/StoreKeeper.swift": ["60": "a minute between two sweeps"],
  ]

  /// The places of a file that know one upstream.
  static func offences(_ file: SourceFile) -> [Offence] {
    guard rooms.contains(where: file.path.hasPrefix), file.path.hasSuffix(".swift") else {
      return []
    }
    let counted = file.tokens.compactMap { token -> Offence? in
      guard numbers.contains(token.text), ours[file.path]?[token.text] == nil else { return nil }
      return Offence(
        path: file.path, line: token.line,
        message: "\(token.text) is a number of one upstream; take it from the source")
    }
    let named = zip(file.lines, file.comments).enumerated().flatMap { index, line in
      words.filter { word in
        let code = line.1.isEmpty ? line.0 : line.0.replacing(line.1, with: "")
        return code.contains(word)
      }.map {
        Offence(
          path: file.path, line: index + 1,
          message: "\($0) is a word of one upstream; take it from the source")
      }
    }
    return counted + named
  }
}
