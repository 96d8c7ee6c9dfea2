import Freshness
import Settings

#if DEBUG
  import Feed
  import JSONBytes
  import Support
  @testable import Upstream

  /// What is valid is split, looked into, and put together again without a change.
  func jsonFault(_ bytes: [UInt8]) -> String? {
    let isValid = JSON.isValid(bytes[...])
    do throws(JSONError) {
      let ranges = try JSON.elements(of: bytes)
      if let fault = elementFault(ranges, of: bytes, isValid: isValid) { return fault }
    } catch {
      if isValid, error != .notAnArray { return "a valid array is refused: \(error)" }
    }
    do throws(JSONError) {
      for case let range? in try JSON.members(["id", "created_at", "é"], of: bytes[...]) {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { return "out of bounds" }
        if isValid, !JSON.isValid(bytes[range]) { return "a member of a valid object is not valid" }
      }
      _ = try JSON.member(at: ["user", "id"], of: bytes[...])
    } catch {
      if isValid, error != .notAnObject { return "a valid object is refused: \(error)" }
    }
    return valueFault(bytes, isValid: isValid)
  }

  private func elementFault(
    _ ranges: [Range<Int>], of bytes: [UInt8], isValid: Bool
  ) -> String? {
    var last = 0
    for range in ranges {
      guard range.lowerBound > last || last == 0, range.upperBound < bytes.count, !range.isEmpty
      else { return "ranges that are not in order" }
      last = range.upperBound
    }
    let areValid = ranges.allSatisfy { JSON.isValid(bytes[$0]) }
    // One that nests to the limit may do so no deeper inside an array.
    if isValid, !areValid { return "an element of a valid array is not valid" }
    if areValid, !isValid, ranges.allSatisfy({ $0.count < JSON.nestingMax }) {
      return "an array of valid elements is not valid"
    }
    let joined = Array("[".utf8) + ranges.map { bytes[$0] }.joined(separator: [0x2C]) + [0x5D]
    guard (try? JSON.elements(of: joined))?.map({ joined[$0] }) == ranges.map({ bytes[$0] }) else {
      return "put together again, it is another array"
    }
    return nil
  }

  private func valueFault(_ bytes: [UInt8], isValid: Bool) -> String? {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if let text = try? JSON.text(bytes[...]) {
      if isValid, String(validating: text, as: UTF8.self) == nil {
        return "a valid text is not UTF-8"
      }
    } else if isValid, first == UInt8(ascii: "\""), bytes.first == first, bytes.last == first {
      return "a valid text cannot be read"
    }
    if let number = try? JSON.wholeNumber(bytes[...]) {
      let digits = Array(String(number).utf8)
      guard (try? JSON.wholeNumber(digits[...])) == number else { return "a number is another" }
    }
    return nil
  }

  /// Whatever a page holds, its items are whole, named once, and valid.
  func pageFault(_ bytes: [UInt8]) -> String? {
    let lists = ListReaders(Presets.qiita)
    for path in ["items", "tags", "items/:id/likes"] {
      let answer = AnswerReader(body: bytes, fields: FieldList())
      guard let page = try? lists[path]?.page(answer, countMax: 40) else {
        continue
      }
      guard page.items.count <= page.count else { return "more items than elements" }
      guard Set(page.items.map(\.item.id)).count == page.items.count else { return "one id twice" }
      for slot in page.items {
        guard JSON.isValid(slot.item.bytes[...]) else { return "an item that is not valid" }
        guard slot.index < page.count else { return "an index out of bounds" }
        guard path != "items" || slot.item.key != nil else { return "no date" }
      }
    }
    return nil
  }
#endif
