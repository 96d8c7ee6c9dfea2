import Bytes
import Feed
import HTTP

/// The parts of a request that every reply needs.
final class RequestContext: Sendable {
  /// The client's id, if it is 1 to 64 of `A-Za-z0-9._-`, else one of ours.
  let requestID: String
  /// Its method.
  let method: Method
  /// The path of its target, as it was sent.
  let path: String
  /// What it asks for, once that is known.
  // Safe because it is set before anybody else has this.
  nonisolated(unsafe) var route = Route.Name.none
  /// Whether it is asked of Qiita's own paths, whose clients know Qiita's headers and errors.
  let isQiitas: Bool
  /// When its head had come.
  let arrivedAt = ContinuousClock.now
  /// Who makes it.
  let client: ClientAddress
  /// `Origin`, when a browser's page asks.
  let origin: String?
  /// `If-None-Match`, all its lines.
  let ifNoneMatch: String?
  /// `If-Match`, all its lines.
  let ifMatch: String?
  /// `Last-Event-ID`: where somebody who listened goes on.
  let lastEventID: String?
  /// How a body is to be sent.
  let coding: ContentCoding
  /// Whether `Cache-Control: no-cache` was sent.
  let isNoCache: Bool
  /// Whether `Cache-Control: only-if-cached` was sent.
  let isOnlyIfCached: Bool

  /// The context of a request that may have come through `proxies`.
  init(_ request: borrowing Request, through proxies: TrustedProxies) {
    requestID = RequestID.of(request.fields)
    (method, path) = (request.method, request.path)
    client = proxies.client(
      behind: request.peer, forwardedFor: request.fields.list("X-Forwarded-For"),
      hasForwarded: request.fields.contains("Forwarded"))
    isQiitas = request.path.hasPrefix(QiitaPage.path)
    origin = request.fields["Origin"]
    coding =
      request.fields.list("Accept-Encoding").map { ContentCoding(accepted: $0.utf8) } ?? .identity
    ifNoneMatch = request.fields.list("If-None-Match")
    lastEventID = request.fields["Last-Event-ID"]
    ifMatch = request.fields.list("If-Match")
    var (isNoCache, isOnlyIfCached) = (false, false)
    if var directives = request.fields.list("Cache-Control") {
      directives.withUTF8 { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let element = rest.prefix { $0 != UInt8(ascii: ",") }
          rest = rest[element.endIndex...].dropFirst()
          let directive = element.drop(while: FieldGrammar.isBlank).prefix {
            !FieldGrammar.isBlank($0)
          }
          if ASCII.equalsIgnoringCase(directive, "no-cache".utf8) { isNoCache = true }
          if ASCII.equalsIgnoringCase(directive, "only-if-cached".utf8) { isOnlyIfCached = true }
        }
      }
    }
    (self.isNoCache, self.isOnlyIfCached) = (isNoCache, isOnlyIfCached)
  }

  /// Whether `If-Match` forbids an answer. Tags are compared strongly there, and ours are weak:
  /// only `*` matches (RFC 9110 §13.1.1).
  var failsIfMatch: Bool {
    guard let ifMatch else { return false }
    return !EntityTags(ifMatch).contains("*")
  }

  /// Whether `If-None-Match` is met by whatever there is.
  var matchesAnything: Bool { ifNoneMatch.map { EntityTags($0).contains("*") } ?? false }

  /// Whether `If-None-Match` holds this tag, compared weakly (RFC 9110 §13.1.2).
  func matches(_ entityTag: String) -> Bool {
    guard let ifNoneMatch else { return false }
    let opaque = entityTag.drop { $0 != "\"" }
    return EntityTags(ifNoneMatch).contains { $0 == "*" || $0 == opaque }
  }
}

/// The opaque parts of a list of entity tags, quotes included, or `*` (RFC 9110 §8.8.3).
struct EntityTags: Sequence, IteratorProtocol {
  private var rest: Substring

  /// The tags of a field's value.
  init(_ list: String) {
    rest = list[...]
  }

  mutating func next() -> Substring? {
    rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
    if rest.first == "*" {
      rest = rest.dropFirst()
      return "*"
    }
    if rest.hasPrefix("W/") { rest = rest.dropFirst(2) }
    guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
    let tag = rest[...end]
    rest = rest[rest.index(after: end)...]
    return tag
  }
}
