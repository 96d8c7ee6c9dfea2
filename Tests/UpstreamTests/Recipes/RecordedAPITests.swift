import Feed
import Foundation
import Freshness
import JSONBytes
import Settings
import Support
import Testing

@testable import Probe
@testable import Upstream

/// Recipes of others and answers of others, which lie beside the repository: every recipe loads,
/// and every recorded answer gives what its recipe says.
@Suite struct RecordedAPITests {
  private static let directory = Checkout.root.deletingLastPathComponent()
    .appending(path: "shared/data/apis")

  private static let recipes = names(in: "recipes")
  private static let answers =
    (try? FileManager.default.contentsOfDirectory(atPath: directory.path))
    .map { folders in
      folders.filter { $0 != "recipes" && !$0.contains(".") }.sorted()
        .flatMap { folder in names(in: folder).map { "\(folder)/\($0)" } }
    } ?? []

  private static func names(in folder: String) -> [String] {
    let path = directory.appending(path: folder).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
      .filter { $0.hasSuffix(".json") }.sorted()
  }

  private static func recipe(_ name: String) throws -> Recipe {
    try recipe(
      reading: String(contentsOf: directory.appending(path: "recipes/\(name)"), encoding: .utf8))
  }

  /// What reads an API's answers: the preset of its name, else the recipe.
  private static func reader(of api: String) throws -> Recipe {
    guard Presets.names.contains(api) else { return try recipe("\(api).json") }
    return try recipe(
      reading: #"{"kind":"http","preset":"\#(api)","baseURL":"https://a.example"}"#)
  }

  private static func recipe(reading json: String) throws -> Recipe {
    let environment = [
      "QIITA_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "STRIPE_KEY", "STACKEXCHANGE_KEY",
      "SLACK_TOKEN", "NOTION_TOKEN", "REDDIT_TOKEN", "JIRA_TOKEN", "CONFLUENCE_TOKEN",
      "GRAPH_TOKEN", "SHOPIFY_TOKEN", "TMDB_TOKEN", "YOUTUBE_KEY", "ELASTIC_KEY",
    ]
    let configuration = try Configuration.read(
      Array(
        #"{"server":{"apiKeys":["a key of a test"]},"sources":{"s":\#(json)}}"#
          .replacing("a key of a test", with: "a-key-of-a-test").utf8),
      environment: Dictionary(uniqueKeysWithValues: environment.map { ($0, "secret-of-a-test") }))
    guard case .http(let http) = configuration.sources["s"] else { throw FetchError.notFound }
    return http.recipe
  }

  @Test(.enabled(if: !recipes.isEmpty, "the recipes are missing"), arguments: recipes)
  func aRecipeIsTaken(name: String) throws {
    let recipe = try Self.recipe(name)
    #expect(!recipe.lists.isEmpty)
    #expect(recipe.patterns.count == recipe.lists.count)
  }

  /// An answer that was recorded.
  private struct Recording: Decodable {
    struct Request: Decodable {
      var method: String
      var url: String
    }
    struct Response: Decodable {
      var status: Int?
      var headers: [[String]]
    }
    var request: Request?
    var response: Response
  }

  @Test(.enabled(if: !answers.isEmpty, "the answers are missing"), arguments: answers)
  func anAnswerIsReadAsItsRecipeSays(name: String) throws {
    let folder = String(name.split(separator: "/")[0])
    guard Self.recipes.contains("\(folder).json") else { return }
    let data = try Data(contentsOf: Self.directory.appending(path: name))
    let recording = try JSONDecoder().decode(Recording.self, from: data)
    guard recording.request?.method ?? "GET" == "GET", recording.response.status ?? 200 == 200
    else {
      return
    }
    let recipe = try Self.reader(of: folder)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let response = try #require(document["response"] as? [String: Any])
    guard let value = response["body"], !(value is NSNull) else { return }
    let body = try JSONSerialization.data(withJSONObject: value)
    var fields = FieldList()
    for pair in recording.response.headers where pair.count == 2 {
      fields.append(line: Array("\(pair[0]): \(pair[1])".utf8))
    }
    let answer = AnswerReader(body: Array(body), fields: fields)
    guard let list = Self.list(of: recording.request?.url ?? "", in: recipe) else {
      // What is not a list that its recipe has.
      #expect(Self.withoutList.contains { name.hasPrefix($0) })
      return
    }
    let page = try list.page(answer, countMax: 10_000)
    #expect(page.items.count == page.count || Self.misfits.contains(name), "\(page.faults)")
    if list.recipe.key != nil, !Self.misfits.contains(name) {
      let keys = page.items.compactMap(\.item.key)
      #expect(keys.count == page.items.count)
      #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 >= $1 })
    }
    let text = String(decoding: body, as: UTF8.self)
    for slot in page.items {
      #expect(text.contains(String(decoding: slot.item.bytes, as: UTF8.self)))
      #expect(!slot.item.id.bytes.isEmpty)
    }
    let hasLink = answer.hasPlace(.link("next"))
    if hasLink { #expect(page.hasNext) }
  }

  /// From one answer alone, without its recipe.
  @Test(.enabled(if: !answers.isEmpty, "the answers are missing"), arguments: answers)
  func theListInAnAnswerIsFound(name: String) throws {
    guard !Self.misfits.contains(name) else { return }
    let folder = String(name.split(separator: "/")[0])
    guard Self.recipes.contains("\(folder).json") else { return }
    let data = try Data(contentsOf: Self.directory.appending(path: name))
    let recording = try JSONDecoder().decode(Recording.self, from: data)
    let url = recording.request?.url ?? ""
    let recipe = try Self.reader(of: folder)
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    guard recording.response.status ?? 200 == 200, let list = Self.list(of: url, in: recipe),
      let response = document["response"] as? [String: Any], let value = response["body"],
      let body = try? JSONTree(json: Array(JSONSerialization.data(withJSONObject: value)))
    else { return }
    let word = URLComponents(string: url)?.path.split(separator: "/").last.map(String.init) ?? ""
    guard let shape = ListShape(body, word: word) else {
      let answer = AnswerReader(body: Array(body.pretty().utf8), fields: FieldList())
      let page = try? list.page(answer, countMax: 10_000)
      #expect(page?.count ?? 0 == 0)
      return
    }
    #expect(shape.items == list.recipe.items.keys)
    #expect(shape.id == list.recipe.id.keys)
    #expect((shape.wrapped.map { [$0] } ?? []) == list.recipe.item.keys)
  }

  /// Answers that do not keep what their recipe says, each for a cause that their folder names.
  private static let misfits: Set = [
    "discourse/latest.json", "discourse/topics-pinned.json", "stackexchange/questions-1.json",
    "stackexchange/questions-2.json", "stackexchange/questions-backoff.json",
    "gitlab/issues-1.json", "gitlab/issues-2.json", "discourse/topics.json",
    "jira/search-1.json", "jira/search-2.json",
  ]

  /// Answers to what no feed of the recipe asks for.
  private static let withoutList = [
    "confluence/", "github/events", "github/search-users", "github/workflow", "hackernews/",
    "laravel/", "reddit/", "stripe/empty", "drf/",
  ]

  /// The list that was asked for, by its path.
  private static func list(
    of url: String, in recipe: Recipe
  ) -> ListReaders.List? {
    // GitHub's own links name a repository by its number.
    let url = url.replacing("/index.php?rest_route=", with: "")
    let path = (URLComponents(string: url)?.percentEncodedPath ?? "")
      .replacing("/repositories/", with: "/repos/number/")
    let found = recipe.lists.first { list in
      guard url.contains("cursor=") == (list.pages.at == "cursor") || list.pages.by == .item else {
        return false
      }
      let template = list.upstreamPath?.text ?? list.path
      let words = template.split(separator: "/")
      let parts = path.split(separator: "/").suffix(words.count)
      return parts.count == words.count
        && zip(words, parts).allSatisfy { $0.hasPrefix(":") || $0.contains("{") || $0 == $1 }
    }
    return found.flatMap { ListReaders(recipe)[$0.path] }
  }
}
