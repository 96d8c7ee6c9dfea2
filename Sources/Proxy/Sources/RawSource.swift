package import RawCache

/// What else of its upstream a source shows.
package struct RawSource: Sendable {
  /// What keeps it.
  package let cache: RawCache
  /// The targets that are shown.
  package let paths: [RawPattern]
  /// The client's fields that go along.
  package let forwards: ForwardedFields
  /// Media types that a browser shows as a page of this origin; `*` is any.
  package let types: Set<String>

  /// What is shown, and by what.
  package init(
    cache: RawCache, paths: [RawPattern], forwards: ForwardedFields, types: Set<String>
  ) {
    (self.cache, self.paths, self.forwards, self.types) = (cache, paths, forwards, types)
  }

  /// Whether a browser may take content of a type for a page of this origin; nil is no type.
  func shows(_ contentType: String?) -> Bool {
    if types.contains("*") { return true }
    let type = contentType?.prefix { $0 != ";" && $0 != " " && $0 != "\t" && $0 != "," }
    return types.contains(type.map { $0.lowercased() } ?? "")
  }
}
