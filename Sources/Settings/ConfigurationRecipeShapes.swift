import Bytes
import Feed
import Freshness
import JSONBytes
import Upstream

/// The texts and objects of a recipe.
extension ConfigurationShape {
  /// An object whose keys a table has; what is not given is as in `initial`.
  static func object(_ fields: [ConfigurationField<Value>], _ initial: Value) -> Self {
    .init(
      expectation: "an object", variable: nil,
      read: { value, place, problems in
        let count = problems.count
        var read = initial
        let members = ConfigurationReader.members(
          of: value, at: place, allowed: fields.map(\.name), &problems)
        for member in members {
          guard let field = fields.first(where: { $0.name == member.name }) else { continue }
          field.set(&read, member.value, "\(place).\(member.name)", &problems)
        }
        return problems.count == count ? read : nil
      },
      write: { value in .object(fields.map { .init($0.name, $0.value(value)) }) })
  }

  /// One word of an enumeration.
  static func word() -> Self
  where Value: RawRepresentable<String> & CaseIterable {
    text(Value.allCases.map(\.rawValue).joined(separator: ", ")) {
      Value(rawValue: $0)
    } write: {
      $0.rawValue
    }
  }

  /// A text that `parse` takes of 1 to 512 bytes of ASCII.
  static func ascii(
    _ expectation: String, _ parse: @escaping @Sendable (String) -> Value?,
    write: @escaping @Sendable (Value) -> String
  ) -> Self {
    text(expectation) { text in
      guard text.utf8.count <= 512, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        return nil
      }
      return parse(text)
    } write: {
      write($0)
    }
  }
}

extension ConfigurationShape<FieldPath> {
  /// Where a value stands in JSON.
  static let fieldPath = ascii(
    "a path such as data.items, or /data/items: at most \(FieldPath.keysMax) keys"
  ) {
    FieldPath($0)
  } write: {
    $0.text
  }
}

extension ConfigurationShape<AnswerPlace> {
  /// Where a response says something.
  static let answerPlace = ascii(
    "a path in the body, header:NAME or link:RELATION"
  ) {
    AnswerPlace($0)
  } write: {
    $0.text
  }

  /// The same, or nowhere.
  static let nextPlace = ascii(
    "a path in the body, header:NAME, link:RELATION, or none where answers do not say it"
  ) {
    $0 == AnswerPlace.nowhere.text ? .nowhere : AnswerPlace($0)
  } write: {
    $0.text
  }
}

extension ConfigurationShape<PageRecipe.Condition> {
  /// A place that says yes or no.
  static let condition = ascii(
    "a path in the body, header:NAME or link:RELATION, with ! before it for the contrary"
  ) {
    PageRecipe.Condition($0)
  } write: {
    $0.text
  }
}

extension ConfigurationShape<TextTemplate> {
  /// A text with names in braces.
  static let template = ascii("a text with names in braces, each closed") {
    TextTemplate($0)
  } write: {
    $0.text
  }

  /// A path below the base URL, with names in braces; some servers want a slash at its end. None
  /// is the base URL itself.
  static let pathTemplate = ascii(
    "a path below baseURL without a slash before it, names in braces"
  ) { text in
    let inner = text.hasSuffix("/") ? text.dropLast() : text[...]
    let words = inner.split(separator: "/", omittingEmptySubsequences: false)
    guard inner.isEmpty || words.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
      !text.utf8.contains(where: { "?#\\ ".utf8.contains($0) })
    else { return nil }
    return TextTemplate(text)
  } write: {
    $0.text
  }

  /// Where something is shown by itself.
  static let one = ascii("a path below baseURL with one name in braces, such as posts/{id}") {
    text in
    guard let template = TextTemplate(text), template.names.count == 1,
      text.split(separator: "/").contains(where: { !$0.contains("{") }), !text.hasPrefix("/"),
      !text.utf8.contains(where: { "?#\\ ".utf8.contains($0) })
    else { return nil }
    return template
  } write: {
    $0.text
  }

  /// How a place is written, and how many elements are wanted.
  static let place = ascii("a text with one {} in it, and at most one {size}") { text in
    TextTemplate(place: text)
  } write: {
    $0.text
  }

  /// How a mark is written.
  static let mark = ascii("a text with one {} in it") { text in
    guard let template = TextTemplate(text), template.names == [""] else { return nil }
    return template
  } write: {
    $0.text
  }
}

extension ConfigurationShape<String> {
  /// The name of a parameter, upstream.
  static let parameterName = ascii("a parameter's name of 1 to 64 characters") { text in
    (1...64).contains(text.utf8.count) && !text.utf8.contains(where: { "&=#? ".utf8.contains($0) })
      ? text : nil
  } write: {
    $0
  }

  /// A name that becomes a part of feeds' names, and of paths.
  static let plainWord = ascii("a name of 1 to 64 of a-z, A-Z, 0-9, _ and -") { text in
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") } ? text : nil
  } write: {
    $0
  }

  /// A plain value.
  static let plainText = ascii("a text of 1 to 512 characters of ASCII") {
    $0.isEmpty ? nil : $0
  } write: {
    $0
  }
}

extension ConfigurationShape<ListRecipe.Order> {
  /// How a list is ordered.
  static let order = ascii("observed, whole, or -FIELD for the greatest first") {
    ListRecipe.Order($0)
  } write: {
    $0.text
  }
}

extension ConfigurationShape<[Recipe.HeaderLine]> {
  /// Fields that the server sets itself, or that hold for one connection only.
  private static let kept: Set = [
    "host", "authorization", "cookie", "connection", "keep-alive", "proxy-authorization", "te",
    "trailer", "transfer-encoding", "upgrade", "content-length", "accept-encoding", "expect",
    "proxy-connection", "if-none-match", "range",
  ]

  /// Fields that are sent with each call.
  static let headers = ConfigurationShape(
    "an object of header fields, without Host, Authorization, Cookie and those of one connection",
    nil,
    parse: { value in
      guard let members = value.members, members.count <= 32 else { return nil }
      var lines: [Recipe.HeaderLine] = []
      for member in members {
        guard case .text(let text) = member.value, FieldLine.isHeaderName(member.name),
          !kept.contains(member.name.lowercased()), text.utf8.count <= 512,
          text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
          !lines.contains(where: { $0.name.lowercased() == member.name.lowercased() })
        else { return nil }
        lines.append(.init(name: member.name, value: text))
      }
      return lines
    },
    write: { .object($0.map { .init($0.name, .text($0.value)) }) })
}

extension ConfigurationShape<Recipe.Credential?> {
  private static let expectation =
    #"one of {"bearer": s}, {"basic": [user, s]}, {"header": name, "value": s} and "#
    + #"{"query": name, "value": s}, with secrets of visible ASCII, or null"#

  /// What a source is asked with. A secret that is a variable without a value is none.
  static let credential = ConfigurationShape(
    expectation: expectation, variable: nil, allowsUnsetVariable: true,
    read: { value, place, problems in
      if value == .null { return .some(nil) }
      let members = value.members ?? []
      let parts = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      let isUnset = members.contains { $0.value == .null || $0.value == .text("") }
      let credential: Recipe.Credential?
      switch Set(parts.keys) {
      case ["bearer"]: credential = secret(parts["bearer"]).map { .bearer($0) }
      case ["basic"]:
        guard case .array(let pair) = parts["basic"], pair.count == 2 else {
          credential = nil
          break
        }
        if pair.contains(.null) { return .some(nil) }
        credential = user(pair[0], password: pair[1])
      case ["header", "value"], ["query", "value"]:
        let header = parts["header"]
        guard case .text(let name) = header ?? parts["query"], FieldLine.isHeaderName(name) else {
          credential = nil
          break
        }
        credential = secret(parts["value"]).map {
          header == nil ? .query(name: name, value: $0) : .header(name: name, value: $0)
        }
      default: credential = nil
      }
      if let credential { return .some(credential) }
      if isUnset { return .some(nil) }
      problems.append(.init(place: place, message: "must be \(expectation)"))
      return nil
    },
    write: { credential in
      let hidden = JSONTree.text(Secret.hidden)
      return switch credential {
      case nil: .null
      case .bearer: .object([.init("bearer", hidden)])
      case .basic(let user, _): .object([.init("basic", .array([.text(user), hidden]))])
      case .header(let name, _): .object([.init("header", .text(name)), .init("value", hidden)])
      case .query(let name, _): .object([.init("query", .text(name)), .init("value", hidden)])
      }
    })

  private static func user(_ name: JSONTree, password: JSONTree) -> Recipe.Credential? {
    guard case .text(let name) = name, case .text(let password) = password else { return nil }
    return .user(name, password: password)
  }

  private static func secret(_ value: JSONTree?) -> Secret? {
    // A text of a header may hold a space: `ApiKey …`. A secret's own characters are visible.
    guard case .text(let text) = value else { return nil }
    return Secret(phrase: text)
  }
}

extension ConfigurationShape<[ListRecipe.Parameter]> {
  /// Parameters that are always sent.
  static let query = ConfigurationShape(
    "an object of parameters and their texts, names of the path in braces", nil,
    parse: { value in
      guard let members = value.members, members.count <= 32 else { return nil }
      var parameters: [ListRecipe.Parameter] = []
      for member in members {
        guard case .text(let text) = member.value, let template = TextTemplate(text),
          (1...64).contains(member.name.utf8.count), text.utf8.count <= 512
        else { return nil }
        parameters.append(.init(name: member.name, value: template))
      }
      return parameters
    },
    write: { .object($0.map { .init($0.name, .text($0.value.text)) }) })
}

extension ConfigurationShape<[ListRecipe.Allowed]> {
  /// Parameters that readers may add.
  static let allowed = ConfigurationShape(
    #"an array of parameters' names, or an object {"ours": "theirs"}"#, nil,
    parse: { value in
      let pairs: [(String, JSONTree)]
      switch value {
      case .array(let names):
        pairs = names.compactMap { name in
          guard case .text(let text) = name else { return nil }
          return (text, name)
        }
        guard pairs.count == names.count else { return nil }
      case .object(let members): pairs = members.map { ($0.name, $0.value) }
      default: return nil
      }
      guard pairs.count <= 32, Set(pairs.map(\.0)).count == pairs.count else { return nil }
      let allowed = pairs.compactMap { name, value -> ListRecipe.Allowed? in
        guard case .text(let upstream) = value, (1...64).contains(name.utf8.count),
          (1...64).contains(upstream.utf8.count),
          name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"&=#?%+\"\\".utf8.contains($0) })
        else { return nil }
        return .init(name: name, upstreamName: upstream)
      }
      return allowed.count == pairs.count ? allowed : nil
    },
    write: { allowed in
      allowed.allSatisfy { $0.name == $0.upstreamName }
        ? .array(allowed.map { .text($0.name) })
        : .object(allowed.map { .init($0.name, .text($0.upstreamName)) })
    })
}

extension ConfigurationShape<[String: [String]]> {
  /// The only values of names.
  static let values = ConfigurationShape(
    "an object of names and arrays of their only values", nil,
    parse: { value in
      guard let members = value.members, members.count <= 32 else { return nil }
      var values: [String: [String]] = [:]
      for member in members {
        guard case .array(let elements) = member.value, (1...1000).contains(elements.count) else {
          return nil
        }
        let texts = elements.compactMap { element -> String? in
          guard case .text(let text) = element, (1...256).contains(text.utf8.count) else {
            return nil
          }
          return text
        }
        guard texts.count == elements.count else { return nil }
        values[member.name] = texts
      }
      return values
    },
    write: { values in
      .object(
        values.sorted { $0.key < $1.key }.map { .init($0.key, .array($0.value.map { .text($0) })) })
    })
}
