import JSONBytes

@testable import Settings

/// One key of a source that has another value at the next start.
///
/// `before` and `after` are laid over the source of its kind. `PORT` and `NAME` in them are the
/// upstream's port and the source's name, `FOLDER` is where files are.
struct KeyChange: Sendable {
  let key: String
  var before: String
  var after: String
  /// What is read, below the source.
  var target = "items?limit=10"
  /// Whether the upstream shows its list in another order, before and after.
  var isRanked = (before: false, after: false)

  init(_ key: String, _ before: String, _ after: String) {
    (self.key, self.before, self.after) = (key, before, after)
  }

  func reading(_ target: String) -> KeyChange {
    var change = self
    change.target = target
    return change
  }

  func ranked(before: Bool = false, after: Bool = false) -> KeyChange {
    var change = self
    change.isRanked = (before, after)
    return change
  }

  static let http = """
    {"kind":"http","baseURL":"http://127.0.0.1:PORT/NAME","auth":{"bearer":"secret-of-one"},
    "pages":{"size":"per_page"},"feeds":{"items":{"items":"data","order":"-created_at"}},
    "raw":{"paths":["pic"]}}
    """
  static let qiita = """
    {"kind":"qiita","baseURL":"http://127.0.0.1:PORT/NAME/qiita",
    "token":"0123456789012345678901234567890123456789","raw":{"paths":["pic"]}}
    """
  static let file = #"{"kind":"file","path":"FOLDER/a.json"}"#

  /// A list's keys.
  private static func list(_ text: String) -> String { #"{"feeds":{"items":{\#(text)}}}"# }
  private static func pages(_ text: String) -> String { #"{"pages":{\#(text)}}"# }
  private static func rate(_ text: String) -> String { #"{"rate":{\#(text)}}"# }
  private static func raw(_ text: String) -> String { #"{"raw":{\#(text)}}"# }

  private static func change(
    _ key: String, _ form: (String) -> String, _ before: String, _ after: String
  ) -> KeyChange {
    KeyChange(key, form(before), form(after))
  }

  /// Keys that any source has that asks an API.
  static let policies = [
    ("freshSeconds", "5"), ("staleSeconds", "90000"), ("recheckSeconds", "50"),
    ("refreshSeconds", "1"), ("prefetchItems", "7"), ("reserveCalls", "3"), ("maxInFlight", "9"),
    ("newFeedShare", "0.9"), ("raw", "null"),
  ].map { KeyChange($0.0, "{}", #"{"\#($0.0)":\#($0.1)}"#) }

  static let raws = [
    change("paths", raw, "", #""paths":["pic","doc"]"#),
    change("sendsToken", raw, #""sendsToken":true"#, #""sendsToken":false"#),
    change("forwards", raw, #""forwards":["Accept-Language"]"#, #""forwards":[]"#),
    change("cookies", raw, #""cookies":"keep""#, #""cookies":"drop""#),
    change("targets", raw, "", #""targets":["CDN-Cache-Control"]"#),
    change("ignores", raw, #""ignores":["private"],"freshSeconds":60"#, #""freshSeconds":60"#),
    change("freshSeconds", raw, "", #""freshSeconds":60"#),
    change("staleSeconds", raw, "", #""staleSeconds":60"#),
    change("refreshSeconds", raw, "", #""refreshSeconds":60"#),
    change("types", raw, "", #""types":["*"]"#),
    change("maxBodyKilobytes", raw, "", #""maxBodyKilobytes":2"#),
    change("maxMegabytes", raw, "", #""maxMegabytes":2"#),
    change("maxVariants", raw, "", #""maxVariants":2"#),
  ].map { $0.reading("raw/pic") }

  /// Keys of a source of kind `http`.
  static let recipes =
    [
      KeyChange("preset", "{}", #"{"preset":"forem"}"#),
      KeyChange("baseURL", "{}", #"{"baseURL":"http://localhost:PORT/NAME"}"#),
      KeyChange("headers", #"{"headers":{"X-Test":"1"}}"#, #"{"headers":{"X-Test":"2"}}"#),
      KeyChange("auth", "{}", #"{"auth":{"bearer":"secret-of-two"}}"#),
      KeyChange("public", "{}", #"{"public":true}"#),
      KeyChange("rate", "{}", rate(#""calls":100"#)),
      change("rate.calls", rate, #""calls":100"#, #""calls":50"#),
      change("rate.seconds", rate, #""calls":100"#, #""calls":100,"seconds":60"#),
      change("rate.limit", rate, "", #""limit":"header:X-Limit""#),
      change("rate.remaining", rate, "", #""remaining":"header:X-Left""#),
      change("rate.reset", rate, "", #""reset":"header:X-Reset""#),
      change("rate.used", rate, "", #""used":"header:X-Used""#),
      change("rate.pause", rate, "", #""pause":"header:X-Pause""#),
      change("rate.refused", rate, "", #""refused":[420]"#),
      change("rate.unchanged", rate, "", #""unchanged":"free""#),
      KeyChange("pages", "{}", pages(#""by":"offset""#)),
      change("pages.by", pages, "", #""by":"offset""#),
      change("pages.at", pages, "", #""at":"p""#),
      change("pages.size", pages, "", #""size":"count""#),
      change("pages.max", pages, "", #""max":50"#),
      change("pages.first", pages, "", #""first":0"#),
      change("pages.start", pages, next, next + #","start":"*""#),
      change("pages.deepest", pages, "", #""deepest":50"#),
      change("pages.reach", pages, "", #""reach":500"#),
      change("pages.value", pages, item, item + #","value":"uid""#),
      change("pages.write", pages, item, item + #","write":"x{}""#),
      change("pages.includes", pages, item, item + #","includes":true"#),
      change("pages.aligned", pages, #""by":"offset""#, #""by":"offset","aligned":true"#),
      change("pages.existing", pages, item, item + #","existing":true"#),
      change(
        "pages.counted", pages, next + #","accept":"none""#,
        next + #","accept":"none","counted":true"#),
      change("pages.next", pages, next, next + #","next":"cursor""#),
      change("pages.more", pages, next, next + #","more":"more""#),
      change("pages.total", pages, "", #""total":"total""#),
      change("pages.exact", pages, #""total":"total""#, #""total":"total","exact":true"#),
      change("pages.beyond", pages, "", #""beyond":[404]"#),
      change("pages.short", pages, "", #""short":true"#),
      change("pages.inside", pages, "", #""inside":"within""#),
      change("pages.past", pages, wall, wall + #","past":{"at":"q"}"#),
      change("pages.past.at", pages, past(#""at":"q""#), past(#""at":"until""#)),
      change("pages.past.write", pages, past(#""at":"q""#), past(#""at":"q","write":"<{}""#)),
      change("pages.past.grain", pages, past(#""at":"q""#), past(#""at":"q","grain":"second""#)),
      change("pages.past.zone", pages, past(#""at":"q""#), past(#""at":"q","zone":9"#)),
      change("pages.accept", pages, "", #""accept":"none""#),
      KeyChange("feeds", "{}", #"{"feeds":{"articles":{"items":"rows"}}}"#)
        .reading("articles?limit=10"),
      KeyChange("feeds", #"{"feeds":{"articles":{"items":"rows"}}}"#, "{}")
        .reading("articles?limit=10"),
      // Renamed: the same list, under the name that another had.
      KeyChange(
        "feeds", #"{"feeds":{"posts":{"items":"data"}}}"#,
        #"{"feeds":{"posts":{"items":"rows","path":"items"}}}"#
      ).reading("posts?limit=10"),
      change("feeds.<name>.path", list, "", #""path":"list""#),
      change("feeds.<name>.query", list, "", #""query":{"q":"x"}"#),
      change("feeds.<name>.allow", list, #""allow":["q"]"#, #""allow":{"q":"query"}"#)
        .reading("items?limit=10&q=swift"),
      change(
        "feeds.<name>.values", list, #""allow":["q"]"#, #""allow":["q"],"values":{"q":["swift"]}"#
      ).reading("items?limit=10&q=swift"),
      change("feeds.<name>.items", list, "", #""items":"rows""#),
      KeyChange("defaults", "{}", #"{"defaults":{"surrogates":"replace"}}"#),
      change("feeds.<name>.surrogates", list, "", #""surrogates":"replace""#),
      change("feeds.<name>.item", list, "", #""item":"body""#),
      change("feeds.<name>.id", list, "", #""id":"uid""#),
      change("feeds.<name>.order", list, "", #""order":"observed""#).ranked(after: true),
      change("feeds.<name>.order", list, "", #""order":"whole""#).ranked(after: true),
      change("feeds.<name>.order", list, "", #""order":"-ranked_at""#).ranked(after: true),
      change("feeds.<name>.order", list, #""order":"observed""#, "").ranked(before: true),
      change("feeds.<name>.order", list, #""order":"whole""#, "").ranked(before: true),
      change("feeds.<name>.order", list, #""order":"whole""#, #""order":"observed""#)
        .ranked(before: true),
      change(
        "feeds.<name>.time", list, #""order":"-stamp","time":"seconds""#,
        #""order":"-stamp","time":"milliseconds""#),
      change("feeds.<name>.settleSeconds", list, "", #""settleSeconds":9"#),
      change("feeds.<name>.updated", list, "", #""updated":"ranked_at""#),
      change("feeds.<name>.shared", list, "", #""shared":"things""#),
      change("feeds.<name>.one", list, "", #""one":"posts/{id}""#),
      change("feeds.<name>.one", list, #""one":"posts/{id}""#, ""),
      change("feeds.<name>.ok", list, "", #""ok":"ok""#),
      change("feeds.<name>.budget", list, "", #""budget":"search""#),
      change("feeds.<name>.private", list, "", #""private":true"#),
      change("feeds.<name>.private", list, #""private":true"#, ""),
      change("feeds.<name>.pages", list, "", #""pages":{"size":"count"}"#),
    ] + policies

  private static let next = #""by":"next","at":"cursor""#
  private static let item = #""by":"item","at":"after""#
  private static let wall = #""deepest":10"#
  private static func past(_ text: String) -> String { wall + #","past":{\#(text)}"# }

  /// Keys of a source of kind `qiita`.
  static let qiitas =
    [
      KeyChange("baseURL", "{}", #"{"baseURL":"http://localhost:PORT/NAME/qiita"}"#),
      KeyChange("token", "{}", #"{"token":"9999999999999999999999999999999999999999"}"#),
      KeyChange("exposeOwner", "{}", #"{"exposeOwner":true}"#)
        .reading("authenticated_user/items?limit=10"),
    ] + policies

  static let files = [
    ("path", "{}", #"{"path":"FOLDER/b.json"}"#), ("id", "{}", #"{"id":"uid"}"#),
    ("order", "{}", #"{"order":"-stamp","time":"seconds"}"#),
    (
      "time", #"{"order":"-stamp","time":"seconds"}"#,
      #"{"order":"-stamp","time":"milliseconds"}"#
    ),
  ].map { KeyChange($0.0, $0.1, $0.2) }

  /// A source with a key's value of before or after.
  static func source(_ kind: String, _ over: String) throws -> JSONTree {
    try JSONTree(json: Array(kind.utf8)).overlaid(by: try JSONTree(json: Array(over.utf8)))
  }
}
