package import Freshness
import Upstream

extension Configuration.Source {
  /// What else of its upstream a source shows: `sources.<name>.raw`.
  package struct Raw: Hashable, Sendable {
    /// Whether cookies of answers are kept.
    package enum Cookies: String, CaseIterable, Sendable {
      /// `Set-Cookie` is taken out.
      case drop
      /// It is stored, and sent to every client.
      case keep
    }

    /// The targets; none shows nothing.
    package var paths: [RawPattern] = []
    /// Whether the source is asked with its own credential.
    package var sendsToken = false
    /// The client's fields that go along.
    package var forwards = ["Accept", "Accept-Language"]
    /// What becomes of cookies.
    package var cookies = Cookies.drop
    /// Fields that stand in the place of `Cache-Control` (RFC 9213).
    package var targets: [String] = []
    /// What of an answer's words is overruled.
    package var ignores: [CacheRules.Ignored] = []
    /// How long an answer is fresh that had something overruled. Seconds.
    package var freshSeconds: Int64?
    /// How long past its freshness an answer is served while none comes. Seconds.
    package var staleSeconds: Int64 = 86_400
    /// How recently validated an answer must be for a reload to get it. Seconds.
    package var refreshSeconds: Int64 = 10
    /// Media types that a browser shows as a page of this origin; `*` is any.
    package var types = ["application/json", "text/plain"]
    /// The largest content that is kept. Kilobytes of 1024 bytes.
    package var maxBodyKilobytes = 1024
    /// What all answers of the source take at most. Megabytes of 1024 × 1024 bytes.
    package var maxMegabytes = 64
    /// The most variants of a target.
    package var maxVariants = 16

    /// The defaults.
    package init() {}

    /// What it says of keeping and serving.
    package var rules: CacheRules {
      var rules = CacheRules()
      rules.keepsCookies = cookies == .keep
      rules.targets = targets.map { $0.lowercased() }
      rules.ignores = Set(ignores)
      rules.freshSeconds = freshSeconds
      rules.staleSeconds = staleSeconds
      rules.refreshSeconds = refreshSeconds
      return rules
    }
  }
}

extension Configuration {
  static let rawFields: [ConfigurationField<Source.Raw>] = [
    .init("paths", \.paths, .list(of: .rawPattern, countMax: countMax)),
    .init("sendsToken", \.sendsToken, .flag),
    .init("forwards", \.forwards, .list(of: .forwardedField, countMax: 64)),
    .init("cookies", \.cookies, .word()),
    .init("targets", \.targets, .list(of: .fieldName, countMax: 8)),
    .init("ignores", \.ignores, .list(of: .word(), countMax: 8)),
    .init("freshSeconds", \.freshSeconds, .optional(.whole(0...yearSeconds))),
    .init("staleSeconds", \.staleSeconds, .whole(0...yearSeconds)),
    .init("refreshSeconds", \.refreshSeconds, .whole(0...3600)),
    .init("types", \.types, .list(of: .mediaType, countMax: 64)),
    .init("maxBodyKilobytes", \.maxBodyKilobytes, .whole(1...1_048_576)),
    .init("maxMegabytes", \.maxMegabytes, .whole(1...1_048_576)),
    .init("maxVariants", \.maxVariants, .whole(1...1000)),
  ]

  /// The path of every key of `raw`.
  package static let rawKeys: [String] = rawFields.map { "raw.\($0.name)" }
}

extension ConfigurationShape<RawPattern> {
  fileprivate static let rawPattern = text(
    "a path such as users/:id, search?q&page or images/**, of at most \(RawPattern.bytesMax) bytes"
  ) {
    RawPattern($0)
  } write: {
    $0.text
  }
}

extension ConfigurationShape<String> {
  fileprivate static let forwardedField = text(
    "the name of a field, or *; Host, Range, Via, If-… and those of one connection are never sent"
  ) {
    $0.utf8.count <= 64 && ForwardedFields.mayName($0) ? $0 : nil
  } write: {
    $0
  }

  fileprivate static let fieldName = text("the name of a field, such as CDN-Cache-Control") {
    FieldLine.isHeaderName($0) ? $0 : nil
  } write: {
    $0
  }

  fileprivate static let mediaType = text("a media type such as image/png, or *") { text in
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    let isType =
      text == "*" || halves.count == 2 && halves.allSatisfy { FieldLine.isName($0.utf8) }
    return text.utf8.count <= 128 && isType ? text.lowercased() : nil
  } write: {
    $0
  }
}

extension ConfigurationReader {
  /// What keys of `raw` must have of the rest.
  mutating func check(
    _ raw: Configuration.Source.Raw?, hasToken: Bool, isOpen: Bool, of server: Configuration.Server,
    at place: String, bodyMegabytesMax: Int
  ) {
    guard let raw else { return }
    let place = "\(place).raw"
    if raw.sendsToken, isOpen {
      add("\(place).sendsToken", "needs server.apiKeys: else everyone reads what the owner may")
    }
    if raw.sendsToken, !hasToken {
      add("\(place).sendsToken", "needs a credential of the source")
    }
    let forwards = ForwardedFields(raw.forwards)
    if !server.apiKeys.isEmpty, forwards.names("authorization") {
      add(
        "\(place).forwards",
        "must not name Authorization while server.apiKeys are set: the keys would go upstream")
    }
    if raw.sendsToken, forwards.names("authorization") {
      add("\(place).forwards", "must not name Authorization with sendsToken: one is sent already")
    }
    if raw.maxBodyKilobytes > bodyMegabytesMax << 10 {
      add("\(place).maxBodyKilobytes", "must be at most upstream.maxBodyMegabytes")
    }
  }
}
