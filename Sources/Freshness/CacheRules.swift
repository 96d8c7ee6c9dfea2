/// What an operator says about the answers of one upstream.
package struct CacheRules: Hashable, Sendable {
  /// A directive of answers that an operator may overrule: this upstream's answers are for
  /// everybody, whatever it says.
  package enum Ignored: String, CaseIterable, Sendable {
    case isPrivate = "private"
    case noStore = "no-store"
    case noCache = "no-cache"
    case mustRevalidate = "must-revalidate"
  }

  /// Whether `Set-Cookie` is stored, and sent to every client; else it is removed.
  package var keepsCookies = false
  /// Fields that stand in the place of `Cache-Control`, the first one there counts (RFC 9213); in
  /// lower case.
  package var targets: [String] = []
  /// What is overruled.
  package var ignores: Set<Ignored> = []
  /// How many seconds an answer is fresh that had something overruled; nil leaves that to it.
  package var freshSeconds: Int64?
  /// How many seconds past its freshness an answer is served while no answer comes.
  package var staleSeconds: Int64 = 86_400
  /// What a client asks to be asked again is not, while it was validated this many seconds ago.
  package var refreshSeconds: Int64 = 10

  /// The rules of a configuration that says nothing.
  package init() {}

  /// What an answer says of its keeping.
  func directives(of fields: FieldList) -> (found: Directives, isTargeted: Bool, isOverruled: Bool)
  {
    let targeted = targets.lazy.compactMap { name in
      fields.combined(name).flatMap(TargetedDirectives.read)
    }.first
    let told = targeted ?? Directives(fields)
    let ignored = ignores.map(\.rawValue)
    return (told.without(ignored), targeted != nil, told.hasAny(ignored))
  }

  /// Fields of a response that are not sent to any other client.
  private static let cookies: Set = ["set-cookie", "set-cookie2"]

  /// A response's fields as they are stored and sent: those meant for the final recipient,
  /// and cookies only where they are for all.
  package func told(_ fields: FieldList) -> FieldList {
    keepsCookies ? fields.endToEnd : fields.endToEnd.without(CacheRules.cookies)
  }
}
