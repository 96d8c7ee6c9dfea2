import Bytes
import HTTP

/// The page at `/`, whole; an assembly brings it.
///
/// Its script and style stand in the page, and a browser runs and uses these alone, since their
/// digests are named in its policy (CSP3 §8.4): no other reply of this origin can ever be a script.
package struct ExplorerPage: Sendable {
  /// The page.
  let body: [UInt8]
  /// The same as gzip; nil where that could not be made.
  let compressed: [UInt8]?
  /// `Content-Security-Policy`.
  let policy: String
  /// The strong validator of the page as it is; compressed it has another.
  let entityTag: String

  /// The validator of the compressed page (RFC 9110 §8.8.3.3).
  var compressedTag: String { "\(entityTag.dropLast())-gz\"" }

  /// A page from a frame with an empty `style` and an empty `script` element.
  package init(frame: [UInt8], style: [UInt8], script: [UInt8]) {
    var body = frame
    for (end, content) in [("</style>", style), ("</script>", script)] {
      guard let place = body.firstRange(of: Array(end.utf8)) else { continue }
      body.insert(contentsOf: content, at: place.lowerBound)
    }
    self.body = body
    var gzip = Gzip()
    compressed = gzip.compressed(body)
    let digest = { (bytes: [UInt8]) in
      "'sha256-\(Base64URL.padded(SHA256.digest(of: bytes)))'"
    }
    policy =
      "default-src 'none'; script-src \(digest(script)); style-src \(digest(style)); "
      + "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    entityTag = "\"\(Base64URL.padded(Array(SHA256.digest(of: body).prefix(12))))\""
  }
}

extension Response {
  /// The answer that carries the page, or 304.
  init(_ page: ExplorerPage, for context: RequestContext) {
    let compressed = context.coding == .gzip ? page.compressed : nil
    let tag = compressed == nil ? page.entityTag : page.compressedTag
    let isOther = context.ifMatch.map { !EntityTags($0).contains(tag[...]) } ?? false
    guard !(context.failsIfMatch && isOther) else {
      self.init(Rejection.preconditionFailed, requestID: context.requestID)
      return
    }
    let isKnown = context.matches(tag)
    self.init(status: isKnown ? 304 : 200, body: isKnown ? [] : compressed ?? page.body)
    if !isKnown {
      fields.append("Content-Type", "text/html; charset=utf-8")
      if compressed != nil { fields.append("Content-Encoding", "gzip") }
    }
    fields.append("ETag", tag)
    fields.append("Cache-Control", "no-cache")
    fields.append("Vary", "Accept-Encoding")
    fields.append("Content-Security-Policy", page.policy)
    fields.append("Cross-Origin-Opener-Policy", "same-origin")
    fields.append("Cross-Origin-Resource-Policy", "same-origin")
    fields.append("Referrer-Policy", "no-referrer")
  }
}
