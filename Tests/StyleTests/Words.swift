import Foundation

/// Words that the project gave up for the field's own, so that none comes back.
enum Words {
  /// Names of types and members, each with the one that replaced it.
  static let names: [String: String] = [
    "SteadyStore": "BufferedStore", "SteadyReader": "BufferedReader", "HeldRows": "BufferedRows",
    "Caretaker": "StoreKeeper", "Foot": "FeedTail", "GivenUp": "EvictionResult",
    "Effort": "ExtensionAttempts", "Aim": "WindowChoice", "Sighting": "OrderMatch",
    "sightCount": "anchorCount", "Tally": "TieCount", "Precedence": "LoopPriority",
    "Gathering": "WriteBatch", "OwnLines": "PerReplyFields", "ReadyAnswer": "CachedReply",
    "KnownStretches": "RangeCache", "CutItems": "ProjectedItems", "ContentShape": "Projection",
    "AskedSlice": "SliceCall", "AskedVerb": "VerbCall", "takeUpStore": "adoptStoreEpoch",
    "SourceFitting": "SourceParts", "giveUp": "fail, cancel or evict",
  ]

  /// Phrases, each with what says the same in fewer steps.
  static let phrases: [(phrase: String, better: String)] = [
    ("the long way", "the uncached path, or the full parser"),
    ("beside the loop", "off the loop"), ("let go of", "released"), ("given up", "evicted, failed"),
    ("has the processor", "runs"), ("for good", "permanently"), ("for the while", "temporary"),
    ("no going on without", "traps"), ("graver", "more severe"),
  ]

  /// The names and phrases of a Swift file of Sources that were given up.
  static func offences(_ file: SourceFile) -> [Offence] {
    guard file.path.hasPrefix("Sources/"), file.path.hasSuffix(".swift") else { return [] }
    // A lane of the client's list gives up what it shows: it is nobody's word there.
    let exempt: Set = file.path.hasPrefix("Sources/TsugiClient/") ? ["giveUp"] : Set<String>()
    let named = file.tokens.compactMap { token in
      exempt.contains(token.text)
        ? nil
        : names[token.text].map {
          Offence(path: file.path, line: token.line, message: "\(token.text) is \($0) now")
        }
    }
    return named
      + file.lines.enumerated().flatMap { index, line in said(line, index + 1, file.path) }
  }

  /// The phrases of a page that were given up.
  static func offences(path: String, text: String) -> [Offence] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .flatMap { index, line in said(String(line), index + 1, path) }
  }

  private static func said(_ line: String, _ number: Int, _ path: String) -> [Offence] {
    phrases.filter { line.localizedCaseInsensitiveContains($0.phrase) }.map {
      Offence(path: path, line: number, message: "“\($0.phrase)”: say \($0.better)")
    }
  }
}
