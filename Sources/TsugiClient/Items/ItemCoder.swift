package import Foundation

/// How a store writes items and their identities, and reads them again.
package struct ItemCoder<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// An item as JSON; nil for one that cannot be written.
  package let encode: @Sendable (Item) -> Data?
  /// An item out of its JSON; nil for what is none, as of an older version of the app.
  package let decode: @Sendable (Data) -> Item?
  /// An identity out of its text.
  package let id: @Sendable (String) -> Item.ID?
}

extension ItemCoder where Item: Codable, Item.ID: Codable {
  /// As the app's own type has it.
  package init() {
    encode = { try? JSONEncoder.stable().encode($0) }
    decode = { try? JSONDecoder().decode(Item.self, from: $0) }
    id = { text in
      if let id = text as? Item.ID { return id }
      let quoted = (try? JSONEncoder().encode(text)) ?? Data()
      // Which of both it is is seen by what the type takes.
      return (try? JSONDecoder().decode(Item.ID.self, from: quoted))
        ?? (try? JSONDecoder().decode(Item.ID.self, from: Data(text.utf8)))
    }
  }
}

extension JSONEncoder {
  /// An encoder that writes equal values as equal bytes. Without an order of its own the members of
  /// an object come in one by chance, another one each time.
  static func stable() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }
}

/// An item's identity as the server writes it in a position: `4bd431809afb1bb99e4f`, `17`.
package func identityText<ID>(of id: ID) -> String {
  if let text = id as? String { return text }
  if let number = id as? any BinaryInteger { return "\(number)" }
  guard let id = id as? any Encodable, let json = try? JSONEncoder.stable().encode(id) else {
    return "\(id)"
  }
  // What is no text stands as it is.
  return (try? JSONDecoder().decode(String.self, from: json))
    ?? String(decoding: json, as: UTF8.self)
}
