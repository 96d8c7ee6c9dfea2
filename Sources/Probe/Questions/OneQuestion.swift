internal import JSONBytes
internal import Upstream

/// Where an element is shown by itself: as its own URL says, if that is so.
struct OneQuestion {
  let evidence: Transcript
  let sample: Answer

  /// Asks for the first element by the URL that it names.
  func settled() throws(NextCall) -> [Report.Note] {
    let shape = evidence.shape
    guard let first = sample.elements.first, let id = shape.id(of: first) else { return [] }
    for (keys, value) in Signs.scalars(in: first) {
      guard let template = value.scalar.flatMap({ template($0, id) }), isShared(keys, template),
        let url = value.scalar.flatMap(evidence.address.resolved)
      else { continue }
      guard let answer = try evidence.answer(to: NextCall(url: url)) else { return [] }
      let inner = shape.id.dropFirst(shape.wrapped == nil ? 0 : 1)
      guard answer.body?.value(at: inner)?.scalar == id else { continue }
      return [
        .list("one", .text(template), "\(keys.joined(separator: ".")) of an element shows it")
      ]
    }
    return []
  }

  /// `posts/{id}`, of a URL below the base that ends with an identity.
  private func template(_ text: String, _ id: String) -> String? {
    guard text.contains("/"), let url = evidence.address.resolved(text) else { return nil }
    let path = url.dropFirst(evidence.address.base.text.utf8.count + 1)
    guard path.hasSuffix("/\(id)"), !path.contains("?"), !path.contains("{") else { return nil }
    return "\(path.dropLast(id.utf8.count)){id}"
  }

  private func isShared(_ keys: [String], _ template: String) -> Bool {
    sample.elements.allSatisfy { element in
      guard let id = evidence.shape.id(of: element) else { return false }
      return element.value(at: keys)?.scalar.flatMap { self.template($0, id) } == template
    }
  }
}
