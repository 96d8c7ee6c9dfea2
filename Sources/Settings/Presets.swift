import JSONBytes
package import Upstream

/// The recipes that come with the program, by name: files of JSON, as an operator would write them.
package enum Presets {
  private static let files: [(name: String, json: [UInt8])] = [
    ("datasette", PackageResources.datasette_json),
    ("drf-cursor", PackageResources.drf_cursor_json),
    ("drf-offset", PackageResources.drf_offset_json),
    ("drf-page", PackageResources.drf_page_json),
    ("fastapi-pagination", PackageResources.fastapi_pagination_json),
    ("forem", PackageResources.forem_json),
    ("github", PackageResources.github_json),
    ("gitlab", PackageResources.gitlab_json),
    ("hackernews", PackageResources.hackernews_json),
    ("mastodon", PackageResources.mastodon_json),
    ("qiita", PackageResources.qiita_json),
    ("redmine", PackageResources.redmine_json),
    ("stackexchange", PackageResources.stackexchange_json),
    ("stripe", PackageResources.stripe_json),
    ("wordpress", PackageResources.wordpress_json),
    ("zenn", PackageResources.zenn_json),
  ]

  /// Their names, sorted.
  package static var names: [String] { files.map(\.name) }

  /// A recipe as it is written; nil where there is none of the name.
  package static func text(of name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.json, as: UTF8.self) }
  }

  /// A recipe as a tree; nil where there is none of the name.
  static func value(of name: String) -> JSONTree? {
    files.first { $0.name == name }.flatMap { try? JSONTree(json: $0.json) }
  }

  /// Qiita's recipe, with what only it has.
  package static let qiita: Recipe = {
    var reader = ConfigurationReader(.init(environment: [:], readFile: { _ in nil }))
    let preset = JSONTree.object([.init("preset", .text("qiita"))])
    var recipe =
      reader.http(preset, at: "qiita")?.recipe ?? Recipe(baseURL: .qiita)
    recipe.qiita = QiitaDialect()
    return recipe
  }()
}

extension Configuration.Source.Qiita {
  /// How the source is asked and read.
  package var recipe: Recipe {
    var recipe = Presets.qiita
    recipe.baseURL = baseURL
    recipe.credential = token.map { .bearer($0) }
    if !exposeOwner { recipe.lists.removeAll { $0.isPrivate } }
    return recipe
  }
}
