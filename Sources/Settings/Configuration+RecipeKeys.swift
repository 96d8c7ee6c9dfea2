import Feed
import Upstream

/// The tables of a source of kind `http`.
extension Configuration {
  /// HTTP statuses of errors.
  private static let status = ConfigurationShape<Int>.whole(400...599)

  static let httpFields: [ConfigurationField<Source.HTTP>] =
    [
      .init("baseURL", \.recipe.baseURL, .baseURL),
      .init("headers", \.recipe.headers, .headers),
      .init("auth", \.recipe.credential, .credential),
      .init("public", \.recipe.isPublic, .flag),
      .init("rate", \.recipe.rate, .object(rateFields, .init())),
    ] + policyFields()

  static let rateFields: [ConfigurationField<Recipe.RateRules>] = [
    .init("calls", \.calls, .optional(.whole(1...10_000_000))),
    .init("seconds", \.seconds, .optional(.whole(1...31_622_400))),
    .init("limit", \.limit, .optional(.answerPlace)),
    .init("remaining", \.remaining, .optional(.answerPlace)),
    .init("reset", \.reset, .optional(.answerPlace)),
    .init("used", \.used, .optional(.answerPlace)),
    .init("pause", \.pause, .optional(.answerPlace)),
    .init("refused", \.refused, .list(of: status, countMax: 32)),
    .init("unchanged", \.unchanged, .word()),
  ]

  static let pageFields: [ConfigurationField<PageRecipe>] = [
    .init("by", \.by, .word()),
    .init("at", \.at, .optional(.parameterName)),
    .init("size", \.size, .optional(.parameterName)),
    .init("max", \.max, .whole(1...10_000)),
    .init("first", \.first, .optional(.whole(0...1))),
    .init("start", \.start, .optional(.plainText)),
    .init("deepest", \.deepest, .optional(.whole(1...1_000_000_000))),
    .init("reach", \.reach, .optional(.whole(1...1_000_000_000))),
    .init("value", \.value, .optional(.fieldPath)),
    .init("write", \.write, .optional(.place)),
    .init("includes", \.includes, .flag),
    .init("aligned", \.isAligned, .flag),
    .init("existing", \.isExisting, .flag),
    .init("next", \.next, .nextPlace),
    .init("counted", \.isCounted, .flag),
    .init("more", \.more, .optional(.condition)),
    .init("total", \.total, .optional(.answerPlace)),
    .init("exact", \.isExact, .flag),
    .init("beyond", \.beyond, .list(of: status, countMax: 32)),
    .init("short", \.isShort, .optional(.flag)),
    .init("inside", \.inside, .optional(.parameterName)),
    .init("past", \.past, .optional(.object(pastFields, .init()))),
    .init("accept", \.accept, .word()),
  ]

  static let pastFields: [ConfigurationField<PastRecipe>] = [
    .init("at", \.at, .parameterName),
    .init("write", \.write, .optional(.mark)),
    .init("grain", \.grain, .word()),
    .init("zone", \.zone, .whole(-12...14)),
  ]

  static let listFields: [ConfigurationField<ListRecipe>] = [
    .init("path", \.upstreamPath, .optional(.pathTemplate)),
    .init("query", \.query, .query),
    .init("allow", \.allow, .allowed),
    .init("values", \.values, .values),
    .init("items", \.items, .fieldPath),
    .init("item", \.item, .fieldPath),
    .init("id", \.id, .fieldPath),
    .init("order", \.order, .order),
    .init("time", \.time, .word()),
    .init("settleSeconds", \.settleSeconds, .whole(0...86_400)),
    .init("updated", \.updated, .optional(.fieldPath)),
    .init("shared", \.shared, .optional(.plainWord)),
    .init("one", \.one, .optional(.one)),
    .init("ok", \.ok, .optional(.answerPlace)),
    .init("surrogates", \.surrogates, .word()),
    .init("budget", \.budget, .optional(.plainWord)),
    .init("private", \.isPrivate, .flag),
    .init("pages", \.pages, .object(pageFields, .init())),
  ]

  /// The keys of a source of kind `http`, in the order in which they are printed.
  static let httpKeys =
    ["preset"] + httpFields.prefix(5).map(\.name) + ["pages", "defaults", "feeds"]
    + httpFields.dropFirst(5).map(\.name)

  /// The path of every key of such a source, from the source on: `pages.by`, `feeds.<name>.order`.
  package static let recipeKeys: [String] =
    httpKeys + rateFields.map { "rate.\($0.name)" } + pageFields.map { "pages.\($0.name)" }
    + pastFields.map { "pages.past.\($0.name)" }
    + listFields.map { "feeds.<name>.\($0.name)" }
}
