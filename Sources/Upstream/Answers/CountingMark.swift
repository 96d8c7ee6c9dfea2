private import Bytes

/// What tells that a token or a URL of a next page only counts: elements or pages, so that it leads
/// elsewhere once the list has moved.
package enum CountingMark {
  /// The most bytes of a mark that are looked at.
  private static let bytesMax = 4_096
  /// The names of such counts, in lower case and without `_`.
  private static let names: Set = [
    "offset", "nextoffset", "skip", "page", "nextpage", "pagenumber", "pageno", "start", "startat",
    "startindex", "from",
  ]

  /// What a mark counts, as it would stand in a query: `offset=100` of
  /// `https://example.com/items?limit=100&offset=100`, and of `eyJvZmZzZXQiOjEwMH0=`, which is
  /// `{"offset":100}` in base 64; nil where nothing says so. The mark was named by a first page of
  /// `count` elements: it counts these, or its own page or the next, from 0 or 1 on.
  package static func found(in mark: String, after count: Int) -> String? {
    let bytes = Array(mark.utf8.prefix(bytesMax))
    let counts = [count, 1, 2].filter { $0 > 0 }
    if let number = Int(mark), number == count || number == 2 { return mark }
    return texts(bytes).lazy.compactMap { found(in: $0, counts) }.first
  }

  /// The mark as it is, its escapes decoded, and out of base 64 of either alphabet.
  private static func texts(_ bytes: [UInt8]) -> [[UInt8]] {
    let plain = BaseURL.decoded(bytes)
    let letters = plain.reversed().drop { $0 == UInt8(ascii: "=") }.reversed().map { byte in
      byte == UInt8(ascii: "+")
        ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
    }
    return [plain] + (Base64URL.bytes(letters).map { [$0] } ?? [])
  }

  /// A name, what may stand between, and one of the counts: `page=2`, `"offset": 100`,
  /// `page[number]=2`.
  private static func found(in text: [UInt8], _ counts: [Int]) -> String? {
    let words = text.split { byte in
      !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20)
        && !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte) && byte != UInt8(ascii: "_")
    }.map { String(decoding: $0, as: UTF8.self) }
    for (index, word) in words.enumerated() {
      guard names.contains(word.lowercased().filter { $0 != "_" }) else { continue }
      for value in words[(index + 1)...].prefix(2) {
        if let number = Int(value), counts.contains(number) { return "\(word)=\(value)" }
      }
    }
    return nil
  }
}
