import Bytes
import JSONBytes

/// The environment as a configuration sees it: `${NAME}` in texts, and `TSUGI_…` over keys.
struct ConfigurationVariables {
  let environment: [String: String]
  /// The bytes of the file at a path; nil when it cannot be read.
  let readFile: (String) -> [UInt8]?
  /// What a text lacks that may: the place and the name of the variable that is not set.
  private(set) var unset: [(place: String, name: String)] = []
  /// Every name that a text took, and may have taken from its file.
  private var used: Set<String> = []

  init(environment: [String: String], readFile: @escaping (String) -> [UInt8]?) {
    self.environment = environment
    self.readFile = readFile
  }

  /// The value with every `${NAME}` of its texts replaced. Null for a text with a variable that is
  /// not set when `allowsUnset`; nil after a problem was added.
  mutating func expand(
    _ value: JSONTree, at place: String, allowsUnset: Bool,
    _ problems: inout [Configuration.Problem]
  ) -> JSONTree? {
    switch value {
    case .text(let text):
      do throws(Fault) {
        return .text(try expand(text))
      } catch {
        if case .unset(let name) = error, allowsUnset {
          unset.append((place, name))
          return .null
        }
        problems.append(.init(place: place, message: error.message))
        return nil
      }
    case .array(let elements):
      var expanded: [JSONTree] = []
      for (index, element) in elements.enumerated() {
        let place = "\(place)[\(index)]"
        guard let element = expand(element, at: place, allowsUnset: allowsUnset, &problems)
        else { continue }
        expanded.append(element)
      }
      return expanded.count == elements.count ? .array(expanded) : nil
    case .object(let members):
      var expanded: [JSONTree.Member] = []
      for member in members {
        let place = ConfigurationReader.place(member.name, in: place)
        guard let value = expand(member.value, at: place, allowsUnset: allowsUnset, &problems)
        else { continue }
        expanded.append(.init(member.name, value))
      }
      return expanded.count == members.count ? .object(expanded) : nil
    case .null, .bool, .number:
      return value
    }
  }

  /// Whether a variable has a value, or names a file with one.
  func isSet(_ name: String) -> Bool {
    [name, "\(name)_FILE"].contains { environment[$0]?.isEmpty == false }
  }

  private mutating func expand(_ text: String) throws(Fault) -> String {
    var result = ""
    var rest = text[...]
    while let dollar = rest.indices.first(where: { rest[$0...].hasPrefix("${") }) {
      result += rest[..<dollar]
      let inner = rest[dollar...].dropFirst(2)
      guard let close = inner.firstIndex(of: "}"),
        ConfigurationVariables.isName(inner[..<close])
      else { throw .noName }
      result += try value(of: String(inner[..<close]))
      rest = inner[close...].dropFirst()
    }
    return result + rest
  }

  private mutating func value(of name: String) throws(Fault) -> String {
    let fileName = "\(name)_FILE"
    used.formUnion([name, fileName])
    if let value = environment[name], !value.isEmpty { return value }
    guard let path = environment[fileName], !path.isEmpty else { throw .unset(name) }
    guard let bytes = readFile(path), let text = String(validating: bytes, as: UTF8.self)
    else { throw .unreadable(fileName) }
    return text.trimmed()
  }

  /// A letter or `_`, then letters, digits and `_`: what a shell takes.
  private static func isName(_ name: Substring) -> Bool {
    guard let first = name.first, !first.isNumber else { return false }
    return name.utf8.allSatisfy(\.isWord)
  }

  /// Why a text cannot be made.
  private enum Fault: Error {
    case noName
    case unset(String)
    case unreadable(String)

    var message: String {
      switch self {
      case .noName: "has a ${ without a variable's name and }"
      case .unset(let name): "the environment variable \(name) is not set"
      case .unreadable(let name): "the file that \(name) names cannot be read as UTF-8"
      }
    }
  }
}

extension ConfigurationVariables {
  /// What a variable says in place of a key; nil when it says nothing.
  func override(
    _ name: String, as form: ConfigurationVariableForm
  ) -> JSONTree? {
    guard let value = environment[name], !value.isEmpty, !isServiceLink(name) else { return nil }
    switch form {
    case .text: return .text(value)
    case .list:
      let texts = value.split(separator: ",").map { $0.trimmed() }.filter { !$0.isEmpty }
      return .array(texts.map { .text($0) })
    // What is no JSON stays a text, which no number's shape takes: the problem is said there.
    case .json: return (try? JSONTree(json: Array(value.utf8))) ?? .text(value)
    }
  }

  /// The variables that begin with `TSUGI_` and mean nothing, by name.
  func unknownVariables(except known: [String]) -> [String] {
    environment.keys
      .filter { $0.hasPrefix("TSUGI_") && !known.contains($0) && !used.contains($0) }
      .filter { !isServiceLink($0) }
      .sorted()
  }

  /// Whether Kubernetes writes the variable for a service whose name begins with `tsugi`: into
  /// every container beside it, unless `enableServiceLinks` is false. `TSUGI_PORT` and
  /// `TSUGI_SERVER_PORT` are then URLs.
  private func isServiceLink(_ name: String) -> Bool {
    if name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT") { return true }
    let protocols = ["tcp", "udp", "sctp"]
    if protocols.contains(where: { environment[name]?.hasPrefix("\($0)://") == true }) {
      return true
    }
    // TSUGI_PORT_8080_TCP_ADDR
    let words = name.split(separator: "_")
    return zip(words, words.dropFirst()).contains { $0 == "PORT" && Int($1) != nil }
  }
}

extension StringProtocol {
  /// It without white space at its ends.
  fileprivate func trimmed() -> String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
