import Bytes
import JSONBytes
import Upstream

/// Which keys of a source decide what is stored of it.
extension Configuration {
  /// Keys of a list that leave rows as they are: another value of these keeps what is stored. Of
  /// `allow` only a name that is another upstream counts.
  static let keptKeys: Set = ["allow", "values", "settleSeconds", "budget", "pages"]
  /// Keys of its pages that do.
  static let keptPageKeys: Set = ["max"]

  /// The fingerprint of all other keys, as far as they are not as they are by default: so a key
  /// that a later program has does not change it.
  static func fingerprint(of list: ListRecipe) -> Int64 {
    var lines = lines(of: list, over: ListRecipe(path: list.path), listFields, leaving: keptKeys)
    lines += Configuration.lines(
      of: list.pages, over: PageRecipe(), pageFields, leaving: keptPageKeys)
    for renamed in list.allow where renamed.name != renamed.upstreamName {
      lines.append("allow.\(renamed.name)=\(renamed.upstreamName)")
    }
    return Fingerprint.value(of: lines.sorted().joined(separator: "\n"))
  }

  /// Keys of `raw` that leave answers as they are.
  static let keptRawKeys: Set = [
    "paths", "staleSeconds", "refreshSeconds", "types", "maxBodyKilobytes", "maxMegabytes",
    "maxVariants",
  ]

  fileprivate static func fingerprint(of raw: Source.Raw, asking recipe: Recipe) -> Int64 {
    let headers = recipe.headers.map { "\($0.name): \($0.value)" }
    let keys = lines(of: raw, over: Source.Raw(), rawFields, leaving: keptRawKeys)
    return Fingerprint.value(of: (headers + keys).joined(separator: "\n"))
  }

  private static func lines<Section>(
    of section: Section, over initial: Section, _ fields: [ConfigurationField<Section>],
    leaving kept: Set<String>
  ) -> [String] {
    fields.filter { !kept.contains($0.name) && !$0.isSame(section, initial) }
      .map { "\($0.name)=\($0.value(section).pretty())" }
  }
}

extension Configuration.Source {
  /// The fingerprint of what decides what the raw route's answers are; 0 for a source without it.
  package var answersFingerprint: Int64 {
    switch self {
    case .qiita(let qiita):
      qiita.raw.map { Configuration.fingerprint(of: $0, asking: qiita.recipe) } ?? 0
    case .http(let http):
      http.raw.map { Configuration.fingerprint(of: $0, asking: http.recipe) } ?? 0
    case .file, .merged: 0
    }
  }
}
