import Bytes
internal import Feed
internal import JSONBytes

/// Reads out of an element's JSON the few things a feed needs, and leaves its bytes as they are.
struct ElementReader: Sendable {
  private let firstKeys: [String]
  private let identityRest: [String]
  private let needsKey: Bool

  /// A reader for the elements of feeds of one pattern.
  init(pattern: FeedPattern) {
    self.init(
      identityPath: pattern.identityPath, needsKey: pattern.order == .value)
  }

  /// A reader for elements whose identity stands at a path such as `["user", "id"]`.
  init(identityPath: [String], needsKey: Bool) {
    firstKeys = identityPath.prefix(1) + ["created_at", "updated_at"]
    identityRest = Array(identityPath.dropFirst())
    self.needsKey = needsKey
  }

  /// The element.
  ///
  /// - Throws: what is wrong with it, `.broken` before all else.
  func item(in element: ArraySlice<UInt8>) throws(ElementFault) -> PageItem {
    guard let members = members(of: element) else { throw .broken }
    guard let id = identity(at: members[0], in: element) else { throw .nameless }
    let key = timestamp(at: members[1], in: element)
    if needsKey, key == nil { throw .undated }
    return PageItem(
      id: id, key: key, updatedAt: timestamp(at: members[2], in: element),
      bytes: Array(element))
  }

  /// Where the first keys' values stand; nil when the element is no object of valid JSON.
  private func members(of element: ArraySlice<UInt8>) -> [Range<Int>?]? {
    do throws(JSONError) {
      try JSON.validate(element)
      return try JSON.members(firstKeys, of: element)
    } catch {
      return nil
    }
  }

  /// A text's bytes, or a whole number's decimal digits (a template's `id` is a number).
  private func identity(at range: Range<Int>?, in element: ArraySlice<UInt8>) -> Identity? {
    guard var range else { return nil }
    do throws(JSONError) {
      if !identityRest.isEmpty {
        guard let inner = try JSON.member(at: identityRest, of: element[range]) else { return nil }
        range = inner
      }
      let id = try Identity(json: element[range])
      return (1...Identity.bytesMax).contains(id.bytes.count) ? id : nil
    } catch {
      return nil
    }
  }

  /// Seconds since 1970; nil when there is no valid timestamp.
  private func timestamp(at range: Range<Int>?, in element: ArraySlice<UInt8>) -> Int64? {
    guard let range, element[range].first == UInt8(ascii: "\"") else { return nil }
    do throws(JSONError) {
      return RFC3339.parseTimestamp(try JSON.text(element[range]))
    } catch {
      return nil
    }
  }
}

extension Identity {
  /// What a value names: a text, or a whole number's decimal digits. Of any length.
  ///
  /// - Throws: `.notAWholeNumber` for another value, or what is wrong with a text.
  init(json value: ArraySlice<UInt8>) throws(JSONError) {
    let isNumber = value.first != UInt8(ascii: "\"")
    let bytes = isNumber ? Array(String(try JSON.wholeNumber(value)).utf8) : try JSON.text(value)
    self.init(bytes: bytes, isNumber: isNumber)
  }
}
