package import Bytes
package import Feed

/// How an API is asked, and how its answers are read: all that a source of kind `http` is.
///
/// A value without behaviour. ``ListFetcher`` performs it; ``patterns`` is what the engine knows of
/// it. The keys are those of a source in `config.json`.
package struct Recipe: Hashable, Sendable {
  /// Where the API begins: scheme, host and path prefix of every call.
  package var baseURL: BaseURL
  /// Sent with each call, in this order.
  package var headers: [HeaderLine] = []
  /// The access token for the source; nil for none.
  package var credential: Credential?
  /// Whether what the credential sees may be shown to everyone.
  package var isPublic = false
  /// How many calls it bears, and where its answers tell.
  package var rate = RateRules()
  /// Its lists, in the order in which a path is looked for among them.
  package var lists: [ListRecipe] = []
  /// What is Qiita's alone; nil for any other API.
  package var qiita: QiitaDialect?

  /// A recipe without lists.
  package init(baseURL: BaseURL) {
    self.baseURL = baseURL
  }

  /// A field that is sent with each call.
  package struct HeaderLine: Hashable, Sendable {
    /// Its name, a token.
    package var name: String
    /// Its value: visible ASCII and spaces.
    package var value: String

    /// A field.
    package init(name: String, value: String) {
      (self.name, self.value) = (name, value)
    }
  }

  /// What a source is asked with.
  package enum Credential: Hashable, Sendable {
    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    case bearer(Secret)
    /// `Authorization: Basic …` (RFC 7617).
    case basic(user: String, password: Secret)
    /// A field of its own.
    case header(name: String, value: Secret)
    /// A parameter of each call.
    case query(name: String, value: Secret)
  }

  /// Where answers tell of the calls that are left, besides the fields that all know.
  package struct RateRules: Hashable, Sendable {
    /// Calls a period, where answers do not tell.
    package var calls: Int?
    /// The period, in seconds.
    package var seconds: Int?
    /// Where the calls of a period are.
    package var limit: AnswerPlace?
    /// Where the calls left are.
    package var remaining: AnswerPlace?
    /// Where the time is at which all are there again.
    package var reset: AnswerPlace?
    /// Where the number of used calls of all is: `32/40`.
    package var used: AnswerPlace?
    /// Where the seconds are in which not to call again.
    package var pause: AnswerPlace?
    /// Statuses that say that no calls are left.
    package var refused: [Int] = []
    /// Whether an answer that nothing has changed costs no call.
    package var unchanged = Unchanged.costs

    /// What an answer costs that nothing has changed.
    package enum Unchanged: String, CaseIterable, Sendable {
      /// A call like any other.
      case costs
      /// Nothing.
      case free
    }

    /// Nothing but what all know.
    package init() {}

    /// The rate that holds until an answer has rate headers: the declared one, an hour where it
    /// names no period; else 60 calls a minute, which nearly every API bears.
    package var allowance: RateAllowance {
      guard let calls else { return RateAllowance(calls: 60, period: .seconds(60)) }
      return RateAllowance(calls: calls, period: .seconds(seconds ?? 3_600))
    }
  }

  /// The kinds of which one is shown by itself, each with where.
  package var kinds: [ItemKind: TextTemplate] {
    lists.reduce(into: qiita == nil ? [:] : QiitaDialect.kinds) { kinds, list in
      guard let kind = list.kind, let one = list.one, kinds[kind] == nil else { return }
      kinds[kind] = one
    }
  }

  /// The feeds there are, as the engine knows them.
  package var patterns: [FeedPattern] {
    let kinds = kinds
    return lists.map { list in
      var pattern = list.pattern
      pattern.one = list.isPrivate ? nil : list.kind.flatMap { kinds[$0] == nil ? nil : $0 }
      qiita?.adapt(&pattern)
      pattern.paging.past = list.pages.past?.grain(in: pattern.unit)
      pattern.recipe = list.fingerprint.map(fingerprint)
      return pattern
    }
  }

  /// The fingerprint of what decides what stored rows of a list mean. Where the API is does not:
  /// what is stored belongs to the source's name.
  private func fingerprint(with list: Int64) -> Int64 {
    let lines = headers.map { "\($0.name): \($0.value)" }
    let texts = ["\(list)", qiita == nil ? "" : "qiita"] + lines
    return Fingerprint.value(of: texts.joined(separator: "\n"))
  }
}
