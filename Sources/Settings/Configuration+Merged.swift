import Bytes
package import Feed
import JSONBytes
import Upstream

extension Configuration.Source {
  /// The settings of a source of kind `merged`: one feed over several.
  package struct Merged: Hashable, Sendable {
    /// One of the feeds that it is made of.
    package struct Part: Hashable, Sendable {
      /// The feed as in its URL, after `/v1/`: `qiita/items?query=tag:Swift`.
      package var feed = ""
      /// Whether the merged feed is shown without it where it fails.
      package var isOptional = false
      /// By how much its last look may be older than the newest of the others, if it is optional;
      /// nil for twice its `freshSeconds`. Seconds.
      package var lagSeconds: Int64?

      /// The name of the source that the feed is of.
      package var source: String { String(feed.prefix { $0 != "/" }) }

      /// A part that is required.
      package init(feed: String = "") {
        self.feed = feed
      }
    }

    /// The parts by name, 1 to ``PartNumbers/partsMax``.
    package var parts: [String: Part] = [:]

    /// None yet.
    package init() {}
  }

  /// The feeds that it has, as the engine knows them; of a merged source none of its own.
  package var patterns: [FeedPattern] {
    switch self {
    case .qiita(let qiita): qiita.recipe.patterns
    case .http(let http): http.recipe.patterns
    case .file(let file): FileFetcher.patterns(of: file.list)
    case .merged: []
    }
  }

  /// For how long its tops are fresh; nil for a source that asks no upstream. Seconds.
  package var freshSeconds: Int64? {
    switch self {
    case .qiita(let qiita): qiita.policy.freshSeconds
    case .http(let http): http.policy.freshSeconds
    case .file, .merged: nil
    }
  }

  /// How the list of a pattern is read; nil where it has none.
  fileprivate func list(of pattern: FeedPattern) -> ListRecipe? {
    switch self {
    case .qiita(let qiita): qiita.recipe.lists.first { $0.path == pattern.path }
    case .http(let http): http.recipe.lists.first { $0.path == pattern.path }
    case .file(let file): file.list
    case .merged: nil
    }
  }
}

extension Configuration {
  /// The sources of kind `merged`, by name.
  package var mergedSources: [(name: String, settings: Source.Merged)] {
    sources.sorted { $0.key < $1.key }.compactMap { name, source in
      if case .merged(let settings) = source { (name, settings) } else { nil }
    }
  }

  static let mergedFields: [ConfigurationField<Source.Merged>] = [.init("parts", \.parts, .parts)]

  static let partFields: [ConfigurationField<Source.Merged.Part>] = [
    .init("feed", \.feed, .feedName), .init("optional", \.isOptional, .flag),
    .init("lagSeconds", \.lagSeconds, .optional(.whole(1...86_400))),
  ]

  /// The keys of a source of kind `merged`, by their paths below it.
  package static let mergedKeys: [String] =
    mergedFields.map(\.name) + partFields.map { "parts.<name>.\($0.name)" }

  /// What is wrong with the name of a feed.
  package struct FeedFault: Error, Hashable, Sendable {
    /// Completes "the feed …".
    package let reason: String
  }

  /// The feed that a text names as a URL does after `/v1/`, in a source that is configured.
  package func feed(named text: String) throws(FeedFault) -> FeedID {
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var parts: [[UInt8]] = []
    for part in halves[0].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let bytes = PercentCoding.decoded(Array(part)[...]), !bytes.isEmpty else {
        throw FeedFault(reason: "is no path of percent-encoded UTF-8 without empty parts")
      }
      parts.append(bytes)
    }
    let name = String(decoding: parts[0], as: UTF8.self)
    guard let source = sources[name] else {
      let names = sources.filter { !$0.value.isMerged }.keys.sorted().joined(separator: ", ")
      throw FeedFault(reason: "is of a source that is not configured; there are \(names)")
    }
    guard !source.isMerged else { throw FeedFault(reason: "is itself merged") }
    let path = Array(parts.dropFirst())
    guard let pattern = source.patterns.first(where: { $0.matches(path) }),
      !path.contains(where: { $0.first == UInt8(ascii: ":") })
    else {
      let paths = source.patterns.map(\.path).joined(separator: ", ")
      throw FeedFault(reason: "is none of \(name), which has \(paths); a variable has its value")
    }
    let parameters = try parameters(halves.dropFirst().first ?? "", of: pattern)
    let feed = FeedID(source: name, pattern: pattern, parts: path)
    return parameters.isEmpty ? feed : feed.with(parameters)
  }

  private func parameters(
    _ query: Substring, of pattern: FeedPattern
  ) throws(FeedFault) -> [(name: String, value: [UInt8])] {
    var parameters: [(name: String, value: [UInt8])] = []
    for pair in query.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(halves[0])
      guard pattern.parameters.contains(name), !parameters.contains(where: { $0.name == name })
      else {
        let known = pattern.parameters.joined(separator: ", ")
        throw FeedFault(
          reason: "takes \(known.isEmpty ? "no parameters" : "\(known), each once"), not \(pair)")
      }
      let value = halves.count > 1 ? Array(halves[1].utf8) : []
      guard let bytes = PercentCoding.decoded(value[...], plusIsSpace: name == "query"),
        !bytes.isEmpty, pattern.rules[name]?.takes(bytes) ?? true
      else {
        let expected = pattern.rules[name]?.expectation ?? "percent-encoded UTF-8, not empty"
        throw FeedFault(reason: "has a parameter \(name), which must be \(expected)")
      }
      parameters.append((name, bytes))
    }
    return parameters
  }

  /// What decides of the places of a feed's items: of one item, two parts must say the same.
  fileprivate struct Ordering: Hashable {
    let key: FieldPath?
    let unit: KeyUnit
  }

  fileprivate func ordering(of feed: FeedID) -> Ordering {
    Ordering(
      key: sources[feed.source]?.list(of: feed.pattern)?.key, unit: feed.pattern.unit)
  }
}

extension Configuration.Source {
  /// Whether it is one feed over several.
  package var isMerged: Bool {
    if case .merged = self { true } else { false }
  }
}

/// What parts must be together.
extension ConfigurationReader {
  mutating func merged(
    _ value: JSONTree, at place: String
  ) -> Configuration.Source.Merged {
    let members = members(
      of: value, at: place, allowed: ["kind"] + Configuration.mergedFields.map(\.name))
    var merged = Configuration.Source.Merged()
    set(members, of: &merged, Configuration.mergedFields, at: place)
    if !members.contains(where: { $0.name == "parts" }) {
      add("\(place).parts", "is missing: it names the feeds that are shown as one")
    }
    return merged
  }

  mutating func check(
    _ merged: Configuration.Source.Merged, in configuration: Configuration, isOpen: Bool,
    at place: String
  ) {
    var known: [FeedID: String] = [:]
    var orderings: [String: (part: String, ordering: Configuration.Ordering)] = [:]
    for (name, part) in merged.parts.sorted(by: { $0.key < $1.key }) {
      let place = "\(place).parts.\(name)"
      if part.lagSeconds != nil, !part.isOptional {
        add("\(place).lagSeconds", "is only for a part that is optional")
      }
      guard !part.feed.isEmpty else { continue }
      let feed: FeedID
      do throws(Configuration.FeedFault) {
        feed = try configuration.feed(named: part.feed)
      } catch {
        add("\(place).feed", error.reason)
        continue
      }
      if let reason = feed.unmergeable {
        add("\(place).feed", reason)
        continue
      }
      if feed.pattern.isOwners, isOpen {
        add("\(place).feed", "is private: it needs server.apiKeys")
      }
      if let other = known.updateValue(name, forKey: feed) {
        add("\(place).feed", "is the feed of \(other), too")
      }
      let ordering = configuration.ordering(of: feed)
      if let other = orderings[feed.realm], other.ordering != ordering {
        add(
          "\(place).feed",
          "has items in common with \(other.part), and must be ordered by the same field, in the "
            + "same unit")
      }
      orderings[feed.realm] = orderings[feed.realm] ?? (name, ordering)
    }
  }
}

extension FeedID {
  /// Why it cannot be a part of a merged feed; nil where it can.
  fileprivate var unmergeable: String? {
    switch pattern.order {
    case .observed: "has the upstream's own order; a part is ordered by an instant: set its order"
    case .whole: "comes whole in its own order; a part is ordered by an instant: set its order"
    case .value where pattern.unit == .number: "is ordered by a number; a part is by an instant"
    case .value: nil
    }
  }
}

extension ConfigurationShape<String> {
  /// A feed as in its URL.
  static let feedName = ascii("a feed as in its URL after /v1/, of 1 to 512 bytes") {
    $0.isEmpty ? nil : $0
  } write: {
    $0
  }
}

extension ConfigurationShape<[String: Configuration.Source.Merged.Part]> {
  /// Parts by name.
  static let parts = ConfigurationShape(
    expectation: "an object of 1 to \(PartNumbers.partsMax) parts by name", variable: nil,
    read: { value, place, problems in
      let shape = ConfigurationShape<Configuration.Source.Merged.Part>.object(
        Configuration.partFields, .init())
      let members = ConfigurationReader.members(of: value, at: place, &problems)
      guard value.members == nil || (1...PartNumbers.partsMax).contains(members.count) else {
        problems.append(
          .init(
            place: place, message: "must be an object of 1 to \(PartNumbers.partsMax) parts"))
        return nil
      }
      var parts: [String: Configuration.Source.Merged.Part] = [:]
      for member in members {
        let place = ConfigurationReader.place(member.name, in: place)
        if !ConfigurationReader.isSourceName(member.name) {
          problems.append(
            .init(place: place, message: "a part's name is 1 to 64 of a-z, 0-9, _ and -"))
        }
        if let inner = member.value.members, !inner.contains(where: { $0.name == "feed" }) {
          problems.append(.init(place: "\(place).feed", message: "is missing"))
        }
        parts[member.name] = shape.read(member.value, place, &problems)
      }
      return parts
    },
    write: { parts in
      .object(
        parts.sorted { $0.key < $1.key }.map { name, part in
          .init(
            name,
            .object(Configuration.partFields.map { JSONTree.Member($0.name, $0.value(part)) }))
        })
    })
}
