import Bytes
internal import Feed
internal import JSONBytes

/// Reads out of an element's JSON the few things a feed needs, and leaves its bytes as they are.
struct ElementReader: Sendable {
  /// What may be read of an element.
  private enum Part: Int {
    case id, key, updated, mark, item
  }

  /// A value that is wanted: a first key, by which all are looked for together, and the rest.
  private struct Wanted {
    var part: Part
    var first: Int
    var rest: [String]
  }

  private var firstKeys: [[UInt8]] = []
  private var wanted: [Wanted] = []
  private let form: KeyForm
  private let unit: KeyUnit
  private let needsKey: Bool
  private let namesItself: Bool
  private let cutsItem: Bool
  private let replacesSurrogates: Bool

  /// A reader for the elements of a list whose keys stand at `key` and are counted in `unit`. With
  /// a `mark` an element that says `true` there is hidden.
  init(_ list: ListRecipe, key: FieldPath?, unit: KeyUnit, mark: FieldPath? = nil) {
    form = list.time
    self.unit = unit
    needsKey = list.key != nil
    namesItself = list.namesItself
    cutsItem = !list.item.keys.isEmpty
    replacesSurrogates = list.surrogates == .replace
    want(list.id, as: .id)
    if let key { want(key, as: .key) }
    if let updated = list.updated { want(updated, as: .updated) }
    if let mark { want(mark, as: .mark) }
    if cutsItem { want(list.item, as: .item) }
  }

  private mutating func want(_ path: FieldPath, as part: Part) {
    guard let key = path.keys.first.map({ Array($0.utf8) }) else { return }
    let index = firstKeys.firstIndex(of: key) ?? firstKeys.endIndex
    if index == firstKeys.endIndex { firstKeys.append(key) }
    wanted.append(Wanted(part: part, first: index, rest: Array(path.keys.dropFirst())))
  }

  /// The element.
  ///
  /// - Throws: what is wrong with it, `.broken` before all else.
  func item(in element: ArraySlice<UInt8>) throws(ElementFault) -> PageItem {
    if namesItself { return try named(by: element) }
    guard let (parts, hasLoneSurrogates) = parts(of: element) else { throw .broken }
    guard let id = parts[Part.id.rawValue].flatMap({ identity(element[$0]) }) else {
      throw .nameless
    }
    let key = parts[Part.key.rawValue].flatMap { form.key(of: element[$0], in: unit) }
    if needsKey, key == nil { throw .undated }
    if let mark = parts[Part.mark.rawValue], element[mark].elementsEqual("true".utf8) {
      throw .hidden
    }
    var range = element.indices
    if cutsItem {
      guard let item = parts[Part.item.rawValue], element[item].first == UInt8(ascii: "{") else {
        throw .broken
      }
      range = item
    }
    return PageItem(
      id: id, key: key, updatedAt: parts[Part.updated.rawValue].flatMap { change(element[$0]) },
      bytes: content(element[range], hasLoneSurrogates))
  }

  /// An element that is nothing but its identity: an object with that as its `id`.
  private func named(by element: ArraySlice<UInt8>) throws(ElementFault) -> PageItem {
    guard let hasLoneSurrogates = try? JSON.findsLoneSurrogates(element) else { throw .broken }
    guard let id = identity(element) else { throw .nameless }
    return PageItem(
      id: id, key: nil, updatedAt: nil,
      bytes: ElementReader.object(of: content(element, hasLoneSurrogates)))
  }

  /// How an identity is handed out that is all of its element.
  static func object(of identity: [UInt8]) -> [UInt8] {
    Array(#"{"id":"#.utf8) + identity + Array("}".utf8)
  }

  private func content(_ bytes: ArraySlice<UInt8>, _ hasLoneSurrogates: Bool) -> [UInt8] {
    var bytes = Array(bytes)
    if replacesSurrogates, hasLoneSurrogates { JSON.replaceLoneSurrogates(in: &bytes) }
    return bytes
  }

  /// Where the wanted values stand, and whether texts have lone surrogates; nil when the element is
  /// no object of valid JSON.
  private func parts(
    of element: ArraySlice<UInt8>
  ) -> (parts: [Range<Int>?], hasLoneSurrogates: Bool)? {
    do throws(JSONError) {
      let (members, hasLoneSurrogates) = try JSON.checkedMembers(firstKeys, of: element)
      var parts = [Range<Int>?](repeating: nil, count: 5)
      for value in wanted {
        guard var range = members[value.first] else { continue }
        if !value.rest.isEmpty {
          guard element[range].first == UInt8(ascii: "{"),
            let inner = try JSON.member(at: value.rest, of: element[range])
          else { continue }
          range = inner
        }
        parts[value.part.rawValue] = range
      }
      return (parts, hasLoneSurrogates)
    } catch {
      return nil
    }
  }

  /// A text's bytes, or a whole number's decimal digits (a template's `id` is a number).
  private func identity(_ value: ArraySlice<UInt8>) -> Identity? {
    do throws(JSONError) {
      let id = try Identity(json: value)
      return (1...Identity.bytesMax).contains(id.bytes.count) ? id : nil
    } catch {
      return nil
    }
  }

  /// What distinguishes one state of an element from another: when it was changed, in whatever
  /// form, or what stands for any other scalar, which is below all times; nil where it says
  /// nothing.
  private func change(_ value: ArraySlice<UInt8>) -> Int64? {
    for form in [form, .rfc3339, .utc] + (value.first == UInt8(ascii: "\"") ? [] : [.decimal]) {
      if let key = form.key(of: value, in: unit == .seconds ? .seconds : .milliseconds) {
        return key
      }
    }
    guard let first = value.first, !"{[n".utf8.contains(first) else { return nil }
    let mark = value.withUnsafeBytes { Int64(Fingerprint.value(of: $0) >> 3) }
    return KeyUnit.keys.lowerBound + mark
  }
}

extension Identity {
  /// What a value names: a text, or a whole number's decimal digits. Of any length.
  ///
  /// - Throws: `.notAWholeNumber` for another value, or what is wrong with a text.
  init(json value: ArraySlice<UInt8>) throws(JSONError) {
    let isNumber = value.first != UInt8(ascii: "\"")
    guard isNumber else {
      self.init(bytes: try JSON.text(value))
      return
    }
    guard JSON.isWholeNumber(value) else { throw .notAWholeNumber }
    self.init(
      bytes: value.elementsEqual("-0".utf8) ? Array("0".utf8) : Array(value), isNumber: true)
  }
}
