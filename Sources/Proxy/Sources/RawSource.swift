package import Freshness

/// What else of its upstream a source shows.
package struct RawSource: Sendable {
  /// What keeps it.
  package let cache: any RawCaching
  /// The targets that are shown.
  package let paths: [RawPattern]
  /// The client's fields that go along.
  package let forwards: ForwardedFields
  /// Media types that a browser shows as a page of this origin; `*` is any.
  package let types: Set<String>

  /// What is shown, and by what.
  package init(
    cache: any RawCaching, paths: [RawPattern], forwards: ForwardedFields, types: Set<String>
  ) {
    (self.cache, self.paths, self.forwards, self.types) = (cache, paths, forwards, types)
  }

  /// Whether a browser may take content with these fields for a page of this origin.
  func shows(_ fields: FieldList) -> Bool {
    types.contains("*") || MediaType.sole(of: fields).map(types.contains) ?? false
  }
}
