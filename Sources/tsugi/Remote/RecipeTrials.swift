import Engine
import Feed
import Proxy
import Settings
import Upstream

/// Tries the recipes of a configuration, each list with two or three calls.
struct RecipeTrials {
  /// Feeds to try by name, besides those whose path has no variable: `github/repos/a/b/issues`.
  var feeds: [String]
  /// Where the findings are printed.
  let stream: StandardStream

  /// Whether every recipe holds, as far as it was tried.
  func hold(in configuration: Configuration) async throws(CommandError) -> Bool {
    let client = try SliceClient.transport()
    let line = ProgressLine(stream: stream)
    var isSound = true
    var untried = feeds
    for (name, source) in configuration.sources.sorted(by: { $0.key < $1.key }) {
      guard let recipe = source.recipe else { continue }
      let fetcher = ListFetcher(recipe, client: client, clock: SystemTime())
      for (list, pattern) in zip(recipe.lists, recipe.patterns) {
        let place = "sources.\(name).feeds[\"\(list.path)\"]"
        let tried = paths(of: pattern, list, source: name)
        let names = tried.map { "\(name)/\($0.joined(separator: "/"))" }
        untried.removeAll(where: names.contains)
        if tried.isEmpty {
          stream.writeLine("\(place): not tried; name one by --feed \(name)/\(pattern.path)")
        }
        for parts in tried {
          line.show("\(name)/\(parts.joined(separator: "/"))")
          let feed = FeedID(source: name, pattern: pattern, parts: parts.map { Array($0.utf8) })
          var trial = RecipeTrial(of: list, feed, through: fetcher)
          for finding in await trial.run() {
            line.clear()
            stream.writeLine("\(place).\(finding.text)\(finding.isWrong ? " (wrong)" : "")")
            if finding.isWrong { isSound = false }
          }
        }
      }
    }
    await client.close()
    for feed in untried {
      stream.writeLine("--feed \(feed): no such list is configured (wrong)")
    }
    return isSound && untried.isEmpty
  }

  /// The parts of the paths that a list is tried by: its own, with the first of the values that a
  /// variable may have, or those that were named.
  private func paths(of pattern: FeedPattern, _ list: ListRecipe, source: String) -> [[String]] {
    let named = feeds.compactMap { feed -> [String]? in
      let parts = feed.split(separator: "/").map(String.init)
      guard parts.first == source, parts.count == pattern.words.count + 1 else { return nil }
      let fits = zip(pattern.words, parts.dropFirst()).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
      return fits ? Array(parts.dropFirst()) : nil
    }
    let own = pattern.words.map { word in
      word.hasPrefix(":") ? list.values[String(word.dropFirst())]?.first : word
    }
    return named + (own.contains(nil) || !named.isEmpty ? [] : [own.compactMap(\.self)])
  }
}
