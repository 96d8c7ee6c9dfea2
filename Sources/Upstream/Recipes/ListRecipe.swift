package import Feed

/// One list of an API: how its pages are asked for, and what stands where in them.
package struct ListRecipe: Hashable, Sendable {
  /// Its path below the source, with variables: `repos/:owner/:repo/issues`.
  package var path: String
  /// Its path below the base URL, where that is another.
  package var upstreamPath: TextTemplate?
  /// Parameters that are always sent, by name.
  package var query: [Parameter] = []
  /// Parameters that readers may add.
  package var allow: [Allowed] = []
  /// The only values of a variable or a parameter, by its name.
  package var values: [String: [String]] = [:]
  /// Where the array of elements stands.
  package var items = FieldPath.whole
  /// What of an element is handed out.
  package var item = FieldPath.whole
  /// An element's identity.
  package var id = FieldPath(key: "id")
  /// How it is ordered.
  package var order = Order.observed
  /// How the key is written by which it is ordered.
  package var time = KeyForm.rfc3339
  /// How long an instant may still be written to after it has passed. Seconds.
  package var settleSeconds = KeyUnit.settleSeconds
  /// What shows that an element was changed.
  package var updated: FieldPath?
  /// The name under which its elements' contents are shared with other lists.
  package var shared: String?
  /// Where an element is shown by itself: `posts/{id}`.
  package var one: TextTemplate?
  /// What must be true, or there, in an answer that is good.
  package var ok: AnswerPlace?
  /// What becomes of lone surrogates in its elements' texts.
  package var surrogates = Surrogates.keep
  /// The name of a budget of its own.
  package var budget: String?
  /// Whether what it shows is for the credential's owner only.
  package var isPrivate = false
  /// How its pages are asked for.
  package var pages = PageRecipe()

  /// The fingerprint of those of its keys that decide what stored rows of it mean; nil where it is
  /// not read from a configuration.
  package var fingerprint: Int64?

  /// A list by its path.
  package init(path: String) {
    self.path = path
  }

  /// What becomes of half a surrogate pair among the escapes of an element, which some decoders
  /// refuse: `"\ud83d"`.
  package enum Surrogates: String, CaseIterable, Sendable {
    /// It stays as it came.
    case keep
    /// U+FFFD takes its place.
    case replace
  }

  /// A parameter that is always sent.
  package struct Parameter: Hashable, Sendable {
    /// Its name upstream.
    package var name: String
    /// Its value; names in it are those of the path.
    package var value: TextTemplate

    /// A parameter.
    package init(name: String, value: TextTemplate) {
      (self.name, self.value) = (name, value)
    }
  }

  /// A parameter that readers may add.
  package struct Allowed: Hashable, Sendable {
    /// Its name here.
    package var name: String
    /// Its name upstream.
    package var upstreamName: String

    /// A parameter.
    package init(name: String, upstreamName: String) {
      (self.name, self.upstreamName) = (name, upstreamName)
    }
  }

  /// How a list is ordered.
  package enum Order: Hashable, Sendable {
    /// By the upstream's own order.
    case observed
    /// One answer brings everything.
    case whole
    /// By a field, the greatest first.
    case falling(FieldPath)

    /// As a recipe writes it.
    package var text: String {
      switch self {
      case .observed: "observed"
      case .whole: "whole"
      case .falling(let path): "-\(path.text)"
      }
    }

    /// An order as a recipe writes it; nil where the text is none.
    package init?(_ text: String) {
      switch text {
      case "observed": self = .observed
      case "whole": self = .whole
      default:
        guard text.hasPrefix("-"), let path = FieldPath(String(text.dropFirst())),
          !path.keys.isEmpty
        else { return nil }
        self = .falling(path)
      }
    }
  }

  /// The key by which it is ordered; nil where that is not in the element.
  package var key: FieldPath? {
    if case .falling(let path) = order { path } else { nil }
  }

  /// The kind of its elements; nil where their contents are this list's own.
  package var kind: ItemKind? {
    if let shared { return ItemKind(shared) }
    return one?.text.split(separator: "/").last { !$0.contains("{") }.map { ItemKind(String($0)) }
  }

  /// Whether its elements are texts or numbers, each of which is its own identity. They are handed
  /// out as objects that have it as `id`.
  package var namesItself: Bool { id.keys.isEmpty }

  /// Whether a page's place is named by the key of the order: its instant, or a number.
  var isByKey: Bool {
    guard let key else { return false }
    guard pages.by == .item, !pages.isExisting else { return pages.by == .time }
    return time == .number && (pages.value ?? id) == key
  }

  /// Whether its URL says nothing of pages: where all comes in one response, a parameter more would
  /// be an error, or a filter that nothing passes. Qiita documents its own.
  func isAskedPlainly(_ recipe: Recipe) -> Bool { order == .whole && recipe.qiita == nil }

  /// The names of the variables in its path.
  package var variables: [String] {
    path.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
  }

  /// The same for what is shown by itself: it has no wrapper, and need not have the list's key.
  var ofOne: ListRecipe {
    var one = self
    one.order = .observed
    one.item = .whole
    one.id = id.inside(item).map { FieldPath(keys: $0) } ?? id
    return one
  }

  /// Where the identity stands in what is handed out; empty where it stands outside.
  package var identityPath: [String] { namesItself ? ["id"] : id.inside(item) ?? [] }

  /// What the engine knows of it.
  var pattern: FeedPattern {
    let order: FeedOrder =
      switch order {
      case .observed: .observed
      case .whole: .whole
      case .falling: .value
      }
    var rules = values.mapValues(NameRule.oneOf)
    let parts = [upstreamPath].compactMap(\.self).flatMap(\.partNames)
    for name in query.flatMap(\.value.partNames) + parts where rules[name] == nil {
      rules[name] = .plain
    }
    var pattern = FeedPattern(
      path, order: order, content: kind, identityPath: identityPath, unit: time.unit,
      settleSeconds: settleSeconds, paging: pages.paging(isByKey: isByKey),
      parameters: allow.map(\.name).sorted(),
      rules: rules, isOwners: isPrivate)
    pattern.budget = budget
    return pattern
  }
}
