private import JSONBytes

/// How an answer says that a place of a list has no elements, without being an error and without an
/// empty array.
extension AnswerReader {
  /// The total that a range states (RFC 9110 §14.4), of elements: 573 for `0-24/573` and
  /// `items 0-24/573`, 0 for `*/0`; nil where there is none, or it counts bytes.
  var rangeTotal: Int? { fields["Content-Range"].flatMap(AnswerReader.total(ofRange:)) }

  /// Whether a status says that nothing stands at a place of a list: 204 (RFC 9110 §15.3.5) and
  /// 205, one that the recipe names, and 416 of a list that is read by ranges of elements.
  func isNothing(_ status: Int, _ beyond: [Int]) -> Bool {
    [204, 205].contains(status) || beyond.contains(status) || status == 416 && rangeTotal != nil
  }

  /// The total that a range of elements states.
  static func total(ofRange text: String) -> Int? {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, !text.lowercased().hasPrefix("bytes") else { return nil }
    return count(of: halves[1].filter { $0 != " " })
  }

  /// Whether nothing stands where the list should: `null` or another empty value there or on the
  /// way, as many serialisers write an empty list; or no such key, in an empty object or where the
  /// answer has no other array and says its total, or by its flag or its next that nothing follows,
  /// or counts nothing. A response that describes an error is none of these.
  func saysNothing(at path: FieldPath, _ pages: PageRecipe) -> Bool {
    if isBare { return true }
    guard !body.isEmpty, !saysError else { return false }
    var value = body[...]
    for key in path.keys {
      if NoWords.isNothing(value) { return true }
      guard let inner = try? JSON.member(key, of: value) else {
        return lacksList(value, pages)
      }
      value = value[inner]
    }
    return NoWords.isNothing(value)
  }

  /// Whether an object without the key of a list is the answer of an empty one.
  private func lacksList(_ object: ArraySlice<UInt8>, _ pages: PageRecipe) -> Bool {
    guard let members = try? JSON.members(of: object) else { return false }
    let total = pages.total.flatMap(count) ?? rangeTotal
    if total == 0 { return true }
    // An array elsewhere may be the list, under another key than the recipe has.
    guard !members.contains(where: { isFull(object[$0.value]) }) else { return false }
    return total != nil || saysNoMore(pages) || hasPlace(pages.next) && next(pages) == nil
      || countsNothing(members) || members.contains { countsNothing(inside: $0.value) }
  }

  /// Whether one of an object's members in an object counts nothing.
  private func countsNothing(inside value: Range<Int>) -> Bool {
    (try? JSON.members(of: body[value])).map(countsNothing) ?? false
  }

  /// Whether a member that counts elements by its name is 0: `"result_count":0`. Serialisers that
  /// leave out an empty list write that.
  private func countsNothing(_ members: [(key: Range<Int>, value: Range<Int>)]) -> Bool {
    members.contains { member in
      guard body[member.value].elementsEqual("0".utf8) else { return false }
      let name = name(member.key)
      return AnswerReader.countWords.contains(where: name.contains)
        && !AnswerReader.otherCounts.contains(where: name.contains)
    }
  }

  /// The name of a member in small letters, by its key in quotes.
  private func name(_ key: Range<Int>) -> String {
    String(decoding: body[key].dropFirst().dropLast(), as: UTF8.self).lowercased()
  }

  /// What names of counts of elements have in them.
  private static let countWords = ["count", "total", "size", "length", "results", "hits"]
  /// What names of other things have in them.
  private static let otherCounts = [
    "error", "fail", "retry", "remaining", "limit", "page", "offset", "account", "discount",
    "countr",
  ]

  private func isFull(_ value: ArraySlice<UInt8>) -> Bool {
    value.first == UInt8(ascii: "[") && !NoWords.isNothing(value)
  }

  /// Whether the response describes an error, by the words that are in use for that.
  private var saysError: Bool {
    guard let members = try? JSON.members(of: body[...]) else { return false }
    return members.contains { member in
      let name = name(member.key).filter { $0 != "_" }
      let text = scalar(body[member.value])
      let isSaid = !NoWords.isNothing(body[member.value]) && text.map { !NoWords.isNo($0) } ?? true
      switch name {
      case "error", "errors", "errorcode", "errormessage", "fault", "exception": return isSaid
      case "ok", "success", "succeeded": return !isSaid
      case "status", "statuscode", "code":
        let code = text.flatMap(Int.init) ?? 0
        let word = text?.lowercased() ?? ""
        return (400...599).contains(code) || word.hasPrefix("err") || word.hasPrefix("fail")
      default: return false
      }
    }
  }
}
