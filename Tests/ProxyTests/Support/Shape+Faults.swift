import JSONBytes
import Wire

extension Shape {
  /// What is wrong with a reply that should be of this shape, by the path of the member. An object
  /// may lack only what is optional, and has nothing else, in the order of the table.
  func faults(in json: [UInt8]) -> [String] {
    guard JSON.isValid(json[...]) else { return ["\(name): no JSON"] }
    return faults(in: json[...], at: name)
  }

  private func faults(in json: ArraySlice<UInt8>, at path: String) -> [String] {
    guard let found = try? JSON.members(of: json) else { return ["\(path): no object"] }
    let names = found.map { String(decoding: json[$0.key].dropFirst().dropLast(), as: UTF8.self) }
    let expected = members.filter { $0.isRequired || names.contains($0.name) }.map(\.name)
    // What is optional stands where the reply has it.
    let isOptional = Set(members.filter { !$0.isRequired }.map(\.name))
    guard Set(names) == Set(expected), names.count == expected.count,
      names.filter({ !isOptional.contains($0) }) == expected.filter({ !isOptional.contains($0) })
    else { return ["\(path): \(names), not \(expected)"] }
    return zip(names, found).flatMap { name, range -> [String] in
      guard let member = members.first(where: { $0.name == name }) else { return [] }
      return Shape.faults(in: json[range.value], as: member.value, at: "\(path).\(name)")
    }
  }

  private static func faults(
    in json: ArraySlice<UInt8>, as value: Value, at path: String
  ) -> [String] {
    let text = String(decoding: json, as: UTF8.self)
    func only(if isRight: Bool) -> [String] { isRight ? [] : ["\(path): \(text.prefix(80))"] }
    let isText = text.hasPrefix("\"")
    switch value {
    case .text: return only(if: isText)
    case .time:
      return only(if: text.wholeMatch(of: /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/) != nil)
    case .flag: return only(if: text == "true" || text == "false")
    case .count: return only(if: (try? JSON.wholeNumber(json)).map { $0 >= 0 } == true)
    case .oneOf(let names): return only(if: names.contains { "\"\($0)\"" == text })
    case .identity: return only(if: isText || (try? JSON.wholeNumber(json)) != nil)
    case .item: return only(if: text.hasPrefix("{"))
    case .object(let name):
      guard let shape = Shape.named(name) else { return ["\(path): no shape \(name)"] }
      return shape.faults(in: json, at: path)
    case .list(let value):
      guard let elements = try? JSON.elements(of: json) else { return only(if: false) }
      return elements.enumerated().flatMap {
        faults(in: json[$0.element], as: value, at: "\(path)[\($0.offset)]")
      }
    case .map(let value):
      guard let members = try? JSON.members(of: json) else { return only(if: false) }
      return members.flatMap { faults(in: json[$0.value], as: value, at: "\(path).*") }
    case .orNull(let value): return text == "null" ? [] : faults(in: json, as: value, at: path)
    }
  }
}

extension Reply {
  /// What is wrong with the body as the shape of this name.
  func faults(as name: String) -> [String] {
    Shape.named(name)?.faults(in: body) ?? ["no shape \(name)"]
  }

  /// A reply that is not of its shape.
  struct WrongShape: Error {
    let faults: [String]
  }

  /// Throws ``WrongShape`` unless the body is of the shape of this name.
  func hold(to name: String) throws {
    let faults = faults(as: name)
    guard faults.isEmpty else { throw WrongShape(faults: faults) }
  }
}
