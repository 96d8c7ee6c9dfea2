/// A request method we know (RFC 9110 §9).
///
/// CONNECT, TRACE and unknown tokens never reach a handler: the parser refuses them with 501.
package enum Method: String, Sendable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"

  /// Whether a request body means something; another method's body is read and dropped.
  var keepsBody: Bool {
    switch self {
    case .post, .put, .patch: true
    case .get, .head, .delete, .options: false
    }
  }

  /// Finds the method of a token; names are case-sensitive (RFC 9110 §9.1).
  init?(token: Slice<UnsafeRawBufferPointer>) {
    if token.elementsEqual("GET".utf8) {
      self = .get
      return
    }
    guard let known = Self.allCases.first(where: { token.elementsEqual($0.rawValue.utf8) }) else {
      return nil
    }
    self = known
  }
}
