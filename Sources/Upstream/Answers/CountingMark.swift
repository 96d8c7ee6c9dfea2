private import Bytes
internal import Feed
package import JSONBytes

/// What shows that a token or a URL of a next page only counts: elements or pages, so that it leads
/// elsewhere once the list has moved.
package enum CountingMark {
  /// The most bytes of a mark that are looked at.
  private static let bytesMax = 4_096
  /// The least bytes of what is found in a mark by more than chance.
  private static let nameBytesMin = 6

  /// What a mark counts, as it would stand in a query: `offset=100` of
  /// `https://example.com/items?limit=100&offset=100`, and of `eyJvZmZzZXQiOjEwMH0=`, which is
  /// `{"offset":100}` in base 64, or `100` of `CGQQAA`, which is that number as a field of Protocol
  /// Buffers; nil where nothing says so.
  ///
  /// The mark was named by a first page of `count` elements. Then a count is 1 or 2, or that of
  /// the elements, or up to twice as many where others are hidden. `last` are values of the last
  /// element: a number of these is what the list is ordered by, and a mark with one of six bytes
  /// or more that has a digit stands below that element. Words like `finished` stand in many.
  package static func found(in mark: String, after count: Int, last: [String]) -> String? {
    let plain = String(decoding: BaseURL.decoded(Array(mark.utf8.prefix(bytesMax))), as: UTF8.self)
    let isURL = plain.contains("?")
    let values = isURL ? plain.split(separator: "&").map(value) : [plain]
    let packed = values.compactMap(bytes)
    let texts = [plain] + packed.compactMap { String(validating: $0, as: UTF8.self) }
    let isBelow = last.contains { value in
      value.utf8.count >= nameBytesMin && value.contains(where: \.isNumber)
        && texts.contains { $0.contains(value) }
    }
    guard !isBelow else { return nil }
    let counts = { (number: Int) in
      number == count
        || ((1...2).contains(number) || (count...2 * count).contains(number))
          && !last.contains("\(number)")
    }
    let number = texts.dropFirst(isURL ? 1 : 0).lazy.compactMap { Int($0) }.first(where: counts)
    return number.map(String.init) ?? texts.lazy.compactMap { named(in: $0, counts) }.first
      ?? packed.lazy.flatMap(fields).first { $0 == count }.map(String.init)
  }

  /// The numbers of a message of Protocol Buffers that has nothing but such; none where it is none.
  private static func fields(of message: [UInt8]) -> [Int64] {
    var (bytes, numbers): (ArraySlice<UInt8>, [Int64]) = (message[...], [])
    // A tag is the field's number, of which there are few, and 0 for an integer.
    while let tag = bytes.popFirst() {
      guard tag & 0x87 == 0, tag > 0, let number = Varint.take(from: &bytes, bytesMax: 8)
      else { return [] }
      numbers.append(number)
    }
    return numbers
  }

  /// The single values in an element, three levels deep at most.
  package static func values(in element: JSONTree, depth: Int = 0) -> [String] {
    guard let members = element.members else { return element.scalar.map { [$0] } ?? [] }
    return depth < 3 ? members.flatMap { values(in: $0.value, depth: depth + 1) } : []
  }

  private static func value(_ pair: Substring) -> String {
    String(pair.drop { $0 != "=" }.dropFirst())
  }

  /// What a text is in base 64 of either alphabet; nil where it is none.
  private static func bytes(of text: String) -> [UInt8]? {
    let alphabet = text.prefix { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
    return Base64URL.bytes(Array(alphabet.utf8))
  }

  /// A name and one of the counts right after it: `page=2`, `"offset": 100`, `page[number]=2`.
  private static func named(in text: String, _ counts: (Int) -> Bool) -> String? {
    let words = text.split { !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_") }
    let names = [""] + words.map { $0.lowercased().filter { $0 != "_" } }
    return zip(words, words.dropFirst()).enumerated().lazy.compactMap { index, pair in
      let isNamed = isName(names[index + 1]) || isName(names[index] + names[index + 1])
      return isNamed && Int(pair.1).map(counts) == true ? "\(pair.0)=\(pair.1)" : nil
    }.first
  }

  /// Whether a name, in lower case and without `_`, is that of such a count.
  private static func isName(_ name: String) -> Bool {
    names.contains(name) || name.hasSuffix("offset") || name.hasSuffix("skip")
      || name.hasSuffix("page") && !name.hasSuffix("perpage")
  }

  private static let names: Set = [
    "p", "pagenumber", "pageno", "start", "startat", "startindex", "from", "cursor", "token",
    "pagetoken",
  ]
}

extension Page {
  /// What the mark of the next page counts; nil where nothing says that it does, or where it is
  /// the identity of an element. This is a first page.
  func countedByNext(_ pages: PageRecipe) -> String? {
    guard pages.by == .next, !pages.isCounted, let mark = nextMark,
      CountingMark.found(in: mark, after: count, last: []) != nil,
      !items.contains(where: { $0.item.id.text == mark }), let last = items.last?.item
    else { return nil }
    // Broken JSON is left out before.
    let values = (try? JSONTree(json: last.bytes)).map { CountingMark.values(in: $0) } ?? []
    return CountingMark.found(in: mark, after: count, last: values)
  }
}
