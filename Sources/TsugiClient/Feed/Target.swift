import Foundation

/// What is asked of the server: a path below its base, and parameters in the order given.
struct Target: Hashable, Sendable {
  /// The path after `/v1/`, encoded.
  var path: String
  /// Names and values, not encoded.
  var parameters: [Parameter] = []

  /// One parameter.
  struct Parameter: Hashable, Sendable {
    var name: String
    var value: String
  }

  /// Adds a parameter.
  mutating func add(_ name: String, _ value: String) {
    parameters.append(Parameter(name: name, value: value))
  }

  /// The whole URL.
  ///
  /// - Throws: `.request` where the base URL is no base for it.
  func url(below base: URL) throws -> URL {
    guard let scheme = base.scheme?.lowercased(), ["http", "https"].contains(scheme),
      base.host != nil
    else { throw TsugiError.request("the base URL is not an http or https URL with a host") }
    guard base.query == nil, base.fragment == nil else {
      throw TsugiError.request("the base URL has a query or a fragment")
    }
    // As it is registered: not every session knows `HTTP` (RFC 3986 §3.1).
    var text = scheme + base.absoluteString.dropFirst(scheme.count)
    while text.hasSuffix("/") { text.removeLast() }
    text += "/v1/\(path)"
    if !parameters.isEmpty {
      text +=
        "?"
        + parameters.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }
        .joined(separator: "&")
    }
    guard let url = URL(string: text) else {
      throw TsugiError.request("no URL can be made of the feed")
    }
    return url
  }
}
