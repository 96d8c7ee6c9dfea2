import Bytes

/// What `Cache-Control`, or a field that stands in its place, says (RFC 9111 §5.2).
package struct Directives: Hashable, Sendable {
  private var arguments: [String: [UInt8]?]

  /// Directives with arguments, or nil for those without; names are in lower case.
  init(_ arguments: [String: [UInt8]?]) {
    self.arguments = arguments
  }

  /// What a message's `Cache-Control` says.
  ///
  /// Of a name that comes more than once the first counts (§4.2.1). An argument may be quoted where
  /// it should be a token, and the other way round (§5.2). What is no directive is passed over, so
  /// a quoted string elsewhere hides what stands in it.
  package init(_ fields: FieldList) {
    self.init(cacheControl: fields.combined("cache-control") ?? [])
  }

  init(cacheControl text: [UInt8]) {
    arguments = [:]
    for element in FieldText.elements(text) {
      let name = element.prefix(while: FieldGrammar.isToken)
      guard !name.isEmpty else { continue }
      let key = String(decoding: name, as: UTF8.self).lowercased()
      guard arguments[key] == nil else { continue }
      let rest = element[name.endIndex...]
      guard rest.first == UInt8(ascii: "=") else {
        arguments[key] = .some(nil)
        continue
      }
      let value = rest.dropFirst()
      arguments[key] = .some(
        FieldText.quoted(value)?.value
          ?? Array(value.prefix { !FieldGrammar.isBlank($0) && $0 != UInt8(ascii: "\"") }))
    }
  }

  /// Whether a directive is there.
  package func has(_ name: String) -> Bool { arguments[name] != nil }

  /// Whether one of some directives is there.
  func hasAny(_ names: some Sequence<String>) -> Bool { names.contains(where: has) }

  /// The argument of a directive as seconds, 0 to 2^31; nil where it is not there, or not digits.
  package func seconds(_ name: String) -> Int64? {
    guard let argument = arguments[name], let argument else { return nil }
    return FieldText.deltaSeconds(argument)
  }

  /// The same without some directives.
  func without(_ names: some Sequence<String>) -> Directives {
    let names = Set(names)
    return Directives(arguments.filter { !names.contains($0.key) })
  }
}
