import Bytes
import Wire

/// The parameters of a request target's query, decoded, each name at most once.
struct QueryItems {
  /// The most parameters taken.
  static let countMax = 32

  /// Names and decoded values, in order.
  private(set) var items: [(name: String, value: [UInt8])] = []
  /// The names that were asked for: what is known here.
  private var known: [String] = []

  /// Reads what follows the `?`. In the value of `query` a `+` is a space, nowhere else.
  init(_ text: String?) throws(Rejection) {
    guard let text, !text.isEmpty else { return }
    // Through the text's own view each byte would take ten times as long.
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let pair = rest.prefix(upTo: rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex)
      rest = rest[pair.endIndex...].dropFirst()
      guard !pair.isEmpty else { continue }
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      let rawName = pair[..<(equals ?? pair.endIndex)]
      guard let nameBytes = PercentCoding.decoded(rawName), items.count < QueryItems.countMax else {
        throw Rejection(.badRequest, "The query is not percent-encoded UTF-8, or too long.")
      }
      let name = String(decoding: nameBytes, as: UTF8.self)
      guard !items.contains(where: { $0.name == name }) else {
        throw .parameter(name, "The parameter may stand only once.")
      }
      let rawValue = equals.map { pair[pair.index(after: $0)...] } ?? pair[pair.endIndex...]
      guard let value = PercentCoding.decoded(rawValue, plusIsSpace: name == "query") else {
        throw .parameter(name, "The value is not percent-encoded UTF-8.")
      }
      guard !value.isEmpty else { throw .parameter(name, "The value is empty.") }
      items.append((name, value))
    }
  }

  /// Takes a parameter's value out, so that what is left at the end is unknown.
  mutating func take(_ name: String) -> [UInt8]? {
    known.append(name)
    guard let index = items.firstIndex(where: { $0.name == name }) else { return nil }
    return items.remove(at: index).value
  }

  /// Throws for what was not taken: a typo never becomes a default.
  func requireEmpty() throws(Rejection) {
    guard let unknown = items.first else { return }
    let names = Set(known).sorted().joined(separator: ", ")
    throw .parameter(
      unknown.name,
      names.isEmpty
        ? "The parameter is not known here; none is."
        : "The parameter is not known here; known are \(names).")
  }
}
