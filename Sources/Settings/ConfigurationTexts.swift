import Bytes
import HTTP
import JSONBytes
import Upstream

/// The texts that a configuration holds: addresses, URLs, paths, secrets.
extension ConfigurationShape<String> {
  /// The longest host name, in bytes (RFC 1035 §2.3.4).
  static let hostBytesMax = 253
  /// The longest URL taken, in bytes.
  static let urlBytesMax = 2048
  /// The longest path taken, in bytes (PATH_MAX of Linux).
  static let pathBytesMax = 4096

  /// What a server can listen on.
  static let host = text("a host name, or an IP address without brackets") { text in
    guard (1...hostBytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0.isWord || ".-:%".utf8.contains($0) })
    else { return nil }
    return text
  } write: {
    $0
  }

  /// What paths can be added to, by its text.
  static let url = text(urlExpectation, parse: plainURL) { $0 }

  static let urlExpectation =
    "an http or https URL of at most \(urlBytesMax) bytes, without user, query and fragment"

  /// A URL that paths can be added to, without slashes at its end; nil when a text is none.
  static func plainURL(_ text: String) -> String? {
    guard text.utf8.count <= urlBytesMax, ConfigurationAuthority.parts(of: text) != nil,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#\\\"<>^`{|}".utf8.contains($0) })
    else { return nil }
    return String(text.reversed().drop { $0 == "/" }.reversed())
  }

  /// What a browser sends in `Origin`, in its form: lower case, no default port; or `*`.
  static let origin = text("an origin such as https://app.example, without a path, or *") { text in
    if text == "*" { return text }
    guard let (scheme, rest) = ConfigurationAuthority.scheme(of: text),
      let authority = ConfigurationAuthority(rest[...])
    else { return nil }
    return authority.origin(scheme)
  } write: {
    $0
  }

  /// What `Host` may say, in lower case.
  static let hostField = text("a host name or address, with :port where one is meant") { text in
    ConfigurationAuthority(text[...])?.description
  } write: {
    $0
  }

  /// A file's path.
  static let path = text("a path of 1 to \(pathBytesMax) bytes") { text in
    guard (1...pathBytesMax).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
    return text
  } write: {
    $0
  }
}

extension ConfigurationShape<BaseURL> {
  /// Where an API begins.
  static let baseURL = text(ConfigurationShape<String>.urlExpectation) { text in
    ConfigurationShape<String>.plainURL(text).flatMap { _ in BaseURL(text) }
  } write: {
    $0.text + $0.slashes
  }
}

extension ConfigurationShape<Secret> {
  /// A secret of `length` bytes; written, it is hidden.
  static func secret(_ length: ClosedRange<Int>) -> Self {
    text(
      "\(length.lowerBound) to \(length.upperBound) characters of visible ASCII, "
        + "and not \(Secret.hidden)"
    ) {
      Secret($0, length: length)
    } write: { _ in
      Secret.hidden
    }
  }
}

extension ConfigurationShape<Secret?> {
  /// A secret that may be missing: null, an empty text, and a variable without a value are none.
  static func token(_ length: ClosedRange<Int>) -> Self {
    let shape = optional(.secret(length))
    return .init(
      expectation: shape.expectation, variable: nil, allowsUnsetVariable: true,
      read: { value, place, problems in
        shape.read(value == .text("") ? .null : value, place, &problems)
      },
      write: shape.write)
  }
}

extension ConfigurationShape<AddressRange> {
  /// An address or a range of them.
  static let network = text(
    "an IP address or a range such as 10.0.0.0/8, with no bits below the prefix"
  ) {
    AddressRange($0)
  } write: {
    $0.text
  }
}

/// `host[:port]` of a URL (RFC 3986 §3.2), in lower case, without user.
struct ConfigurationAuthority: CustomStringConvertible {
  /// A name, an IPv4 address, or an IPv6 address in brackets.
  let host: String
  let port: Int?

  init?(_ text: Substring) {
    // Lower case is made of ASCII only: a Kelvin sign would become a k.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let end =
      text.first == "["
      ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
    let host = text[..<(end ?? text.endIndex)].lowercased()
    let rest = text[(end ?? text.endIndex)...]
    if host.first == "[" {
      let address = String(host.dropFirst().dropLast())
      guard host.last == "]", address.contains(":"), AddressRange(address) != nil
      else { return nil }
    } else {
      guard (1...ConfigurationShape<String>.hostBytesMax).contains(host.utf8.count),
        host.utf8.allSatisfy({ $0.isWord || ".-".utf8.contains($0) })
      else { return nil }
    }
    self.host = host
    guard !rest.isEmpty else {
      port = nil
      return
    }
    guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65535).contains(port),
      rest.dropFirst() == String(port)
    else { return nil }
    self.port = port
  }

  var description: String { port.map { "\(host):\($0)" } ?? host }

  /// What a browser sends in `Origin` from there: no default port.
  func origin(_ scheme: String) -> String {
    scheme + "://" + (port == (scheme == "https" ? 443 : 80) ? host : description)
  }

  /// The scheme and the authority of a URL; nil where it has none of these.
  static func parts(of url: String) -> (scheme: String, authority: ConfigurationAuthority)? {
    guard let (scheme, rest) = scheme(of: url),
      let authority = ConfigurationAuthority(rest.prefix { $0 != "/" })
    else { return nil }
    return (scheme, authority)
  }

  /// `http` or `https` and what follows `://`; nil for another scheme.
  static func scheme(of text: String) -> (scheme: String, rest: Substring)? {
    for scheme in ["https", "http"] where text.lowercased().hasPrefix("\(scheme)://") {
      return (scheme, text.dropFirst(scheme.count + 3))
    }
    return nil
  }
}

extension Configuration.Server {
  /// ``publicURL`` as a browser sends it in `Origin`.
  package var publicOrigin: String? {
    publicURL.flatMap(ConfigurationAuthority.parts).map { $0.authority.origin($0.scheme) }
  }

  /// ``publicURL`` as a client sends it in `Host`.
  package var publicHost: String? {
    publicURL.flatMap(ConfigurationAuthority.parts)?.authority.description
  }
}
