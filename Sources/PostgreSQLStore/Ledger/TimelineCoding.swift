import Feed
import JSONBytes

/// A timeline as JSON, which an operator can read by SQL:
///
/// ```json
/// {"lookedAt": 1800000000000, "total": [57, 1800000000000],
///  "proofs": [[1800000000, "", 1799999000, "61", 1800000000000, 20, 20, null]],
///  "lineages": [["12345", -9223372036854775808, ""]], "moves": [[1, "61", 5, "", 4, ""]],
///  "doubts": ""}
/// ```
///
/// A proof is its upper and lower cut, each as an integer and bytes in hexadecimal digits, when it
/// was proven, its count, the rank below it, and what it is believed by. What is not of this form
/// is ``StoreError/unreadable(message:)``.
enum TimelineCoding {
  /// A timeline as JSON.
  static func text(of timeline: Timeline) -> String {
    var json = JSONWriter()
    json.append(raw: "{\"lookedAt\":")
    append(timeline.lookedAt?.milliseconds, to: &json)
    json.append(raw: ",\"total\":")
    if let total = timeline.total {
      json.append(raw: "[")
      json.append(total.value)
      json.append(raw: ",")
      json.append(total.asOf.milliseconds)
      json.append(raw: "]")
    } else {
      json.append(raw: "null")
    }
    json.append(raw: ",\"proofs\":")
    appendArray(timeline.proofs, to: &json) { proof, json in
      append(proof.upper.position, to: &json)
      json.append(raw: ",")
      append(proof.lower.position, to: &json)
      for number in [proof.provenAt.milliseconds, Int64(proof.count), Int64(proof.rankBelow)] {
        json.append(raw: ",")
        json.append(number)
      }
      json.append(raw: ",")
      json.append(proof.belief?.rawValue)
    }
    json.append(raw: ",\"lineages\":")
    append(timeline.lineages, to: &json)
    json.append(raw: ",\"moves\":")
    appendArray(timeline.moves, to: &json) { move, json in
      json.append(move.number)
      json.append(raw: ",")
      json.append(move.id.bytes.hexadecimal)
      json.append(raw: ",")
      append(move.from, to: &json)
      json.append(raw: ",")
      append(move.to, to: &json)
    }
    json.append(raw: ",\"doubts\":")
    json.append(timeline.doubts.text)
    json.append(raw: "}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Lineages as JSON, as they stand in that of a timeline.
  static func text(of lineages: [Lineage]) -> String {
    var json = JSONWriter()
    append(lineages, to: &json)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func append(_ lineages: [Lineage], to json: inout JSONWriter) {
    appendArray(lineages, to: &json) { lineage, json in
      json.append(String(lineage.name))
      json.append(raw: ",")
      append(lineage.floor.position, to: &json)
    }
  }

  private static func append(_ number: Int64?, to json: inout JSONWriter) {
    if let number { json.append(number) } else { json.append(raw: "null") }
  }

  private static func append(_ position: Position, to json: inout JSONWriter) {
    json.append(position.order)
    json.append(raw: ",")
    json.append(position.tie.hexadecimal)
  }

  private static func appendArray<Element>(
    _ elements: [Element], to json: inout JSONWriter,
    _ write: (Element, inout JSONWriter) -> Void
  ) {
    json.append(raw: "[")
    for (index, element) in elements.enumerated() {
      json.append(raw: index == 0 ? "[" : ",[")
      write(element, &json)
      json.append(raw: "]")
    }
    json.append(raw: "]")
  }

  /// The timeline of a JSON text.
  static func timeline(_ text: String) throws(StoreError) -> Timeline {
    var timeline = Timeline()
    guard let json = try? JSONTree(json: Array(text.utf8)) else {
      throw .unreadable(message: "a timeline is no JSON")
    }
    timeline.lookedAt = json["lookedAt"]?.scalar.flatMap { Int64($0) }.map {
      StoredInteger($0).instant
    }
    if case .array(let parts) = json["total"] {
      var fields = Fields(parts)
      timeline.total = Total(value: try fields.stored().count, asOf: try fields.instant())
    }
    timeline.proofs = try elements(of: json["proofs"]) { (fields) throws(StoreError) in
      Proof(
        upper: Cut(position: try fields.position()), lower: Cut(position: try fields.position()),
        provenAt: try fields.instant(), count: try fields.stored().count,
        rankBelow: try fields.stored().count,
        belief: fields.text().map { JoinProof(rawValue: $0) ?? .none })
    }
    timeline.lineages = try elements(of: json["lineages"]) { (fields) throws(StoreError) in
      guard let name = fields.text().flatMap({ UInt64($0) }) else { throw Fields.damage }
      return Lineage(name: name, floor: Cut(position: try fields.position()))
    }
    timeline.moves = try elements(of: json["moves"]) { (fields) throws(StoreError) in
      Move(
        number: try fields.integer(), id: Identity(bytes: try fields.bytes()),
        from: try fields.position(), to: try fields.position())
    }
    // A server of an earlier version writes none.
    timeline.doubts = Doubts(text: json["doubts"]?.scalar ?? "")
    return timeline
  }

  private static func elements<Element>(
    of json: JSONTree?, _ read: (inout Fields) throws(StoreError) -> Element
  ) throws(StoreError) -> [Element] {
    guard case .array(let elements) = json else { throw Fields.damage }
    var result: [Element] = []
    for element in elements {
      guard case .array(let parts) = element else { throw Fields.damage }
      var fields = Fields(parts)
      result.append(try read(&fields))
    }
    return result
  }

  /// The parts of an array, one after the other.
  private struct Fields {
    static let damage = StoreError.unreadable(message: "a timeline has another form")
    private var parts: ArraySlice<JSONTree>

    init(_ parts: [JSONTree]) { self.parts = parts[...] }

    mutating func text() -> String? { parts.popFirst()?.scalar }

    mutating func integer() throws(StoreError) -> Int64 {
      guard let integer = text().flatMap({ Int64($0) }) else { throw Fields.damage }
      return integer
    }

    mutating func stored() throws(StoreError) -> StoredInteger { StoredInteger(try integer()) }

    mutating func instant() throws(StoreError) -> Timestamp {
      try stored().instant
    }

    mutating func bytes() throws(StoreError) -> [UInt8] {
      guard let text = text(), text.utf8.count.isMultiple(of: 2) else { throw Fields.damage }
      var bytes: [UInt8] = []
      var rest = text[...]
      while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw Fields.damage }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      }
      return bytes
    }

    mutating func position() throws(StoreError) -> Position {
      Position(order: try integer(), tie: try bytes())
    }
  }
}

extension [UInt8] {
  /// Two digits for each byte.
  fileprivate var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 2 * count) { text in
      for (index, byte) in enumerated() {
        text[2 * index] = digits[Int(byte >> 4)]
        text[2 * index + 1] = digits[Int(byte & 15)]
      }
      return 2 * count
    }
  }
}
