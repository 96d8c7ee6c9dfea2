import Bytes
internal import Feed
private import JSONBytes

/// Why a file's content is refused.
struct FileFault: Error, Hashable, Sendable {
  /// Where, counted from 1.
  var line: Int
  /// What is wrong there.
  var reason: String
}

/// The elements of a file: a JSON array of objects, or one object a line.
///
/// Every element is an object with an identity of its own, a text of 1 to 128 bytes or a whole
/// number, and with a key where the list is ordered by one; or it is nothing but the identity. One
/// that is not refuses the file, at its line: a part that looks whole would be worse.
enum FileElements {
  /// The most elements of a file.
  static let countMax = 100_000

  /// The elements byte for byte, in their order: the file's, or that of a list by its key, whose
  /// ties fall by their identities' bytes.
  static func read(
    _ bytes: [UInt8], _ list: ListRecipe = FileFetcher.list
  ) throws(FileFault) -> [PageItem] {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let first = bytes[start...].firstIndex(where: { !isSpace($0) }) else {
      throw FileFault(line: 1, reason: "there is nothing; an empty feed is []")
    }
    let ranges =
      bytes[first] == UInt8(ascii: "[")
      ? try elements(of: bytes, from: start) : lines(of: bytes, from: start)
    var lines = LineCounter(bytes)
    guard ranges.count <= countMax else {
      throw FileFault(
        line: lines.line(of: ranges[countMax].lowerBound), reason: "more than \(countMax) elements")
    }
    var items: [PageItem] = []
    items.reserveCapacity(ranges.count)
    var places: [Identity: Int] = [:]
    places.reserveCapacity(ranges.count)
    for range in ranges {
      let line = lines.line(of: range.lowerBound)
      let id = try identity(of: bytes[range], list.id, in: bytes, &lines)
      if let other = places.updateValue(line, forKey: id) {
        throw FileFault(line: line, reason: "the id of line \(other) again")
      }
      let key = list.key.flatMap { path in
        path.range(in: bytes[range]).flatMap { list.time.key(of: bytes[$0], in: list.time.unit) }
      }
      if let path = list.key, key == nil {
        throw FileFault(line: line, reason: "\(path.text) is no \(list.time.rawValue)")
      }
      let element = Array(bytes[range])
      items.append(
        PageItem(
          id: id, key: key, updatedAt: fingerprint(bytes[range]),
          bytes: list.namesItself ? ElementReader.object(of: element) : element))
    }
    guard list.key != nil else { return items }
    return items.sorted { ($1.key ?? 0, $1.id) < ($0.key ?? 0, $0.id) }
  }

  private static func elements(
    of bytes: [UInt8], from start: Int
  ) throws(FileFault) -> [Range<Int>] {
    do throws(JSONError) {
      return try JSON.elements(of: bytes[start...], countMax: countMax)
    } catch {
      throw fault(error, at: start, in: bytes)
    }
  }

  /// The lines that are not blank, without the space around them.
  private static func lines(of bytes: [UInt8], from start: Int) -> [Range<Int>] {
    bytes[start...].split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let first = line.firstIndex(where: { !isSpace($0) }),
        let last = line.lastIndex(where: { !isSpace($0) })
      else { return nil }
      return first..<last + 1
    }
  }

  private static func identity(
    of element: ArraySlice<UInt8>, _ path: FieldPath, in bytes: [UInt8],
    _ lines: inout LineCounter
  ) throws(FileFault) -> Identity {
    let id: Identity?
    do throws(JSONError) {
      _ = try JSON.findsLoneSurrogates(element)
      id = try identity(of: element, path)
    } catch .notAWholeNumber {
      id = Identity(bytes: [])
    } catch {
      throw fault(error, at: element.startIndex, in: bytes)
    }
    let line = lines.line(of: element.startIndex)
    guard let id else { throw FileFault(line: line, reason: "no \(path.text)") }
    guard (1...Identity.bytesMax).contains(id.bytes.count) else {
      throw FileFault(
        line: line,
        reason: "an id that is no text of 1 to \(Identity.bytesMax) bytes and no whole number")
    }
    return id
  }

  /// The element's identity; nil when there is none.
  private static func identity(
    of element: ArraySlice<UInt8>, _ path: FieldPath
  ) throws(JSONError) -> Identity? {
    if path.keys.isEmpty { return try Identity(json: element) }
    guard element.first == UInt8(ascii: "{") else { throw .notAnObject }
    guard let range = try JSON.member(at: path.keys, of: element) else { return nil }
    return try Identity(json: element[range])
  }

  /// What a fault in JSON that begins at `start` is in the file.
  private static func fault(_ error: JSONError, at start: Int, in bytes: [UInt8]) -> FileFault {
    let (offset, reason): (Int, String) =
      switch error {
      case .truncated(let offset): (offset, "it ends before its last value does")
      case .unexpectedByte(let offset): (offset, "a byte that cannot stand here")
      case .mismatchedBracket(let offset): (offset, "a bracket that closes nothing")
      case .tooManyElements(let limit): (0, "more than \(limit) elements")
      case .tooDeep(let offset): (offset, "more than \(JSON.nestingMax) brackets inside each other")
      case .trailingBytes(let offset): (offset, "something follows the value")
      case .invalidUTF8(let offset): (offset, "no UTF-8")
      case .invalidEscape(let offset): (offset, "a backslash that escapes nothing")
      case .notAnArray, .notAnObject: (0, "no object")
      case .notAText, .notAWholeNumber: (0, "no text and no whole number")
      }
    var lines = LineCounter(bytes)
    return FileFault(line: lines.line(of: min(start + offset, bytes.count)), reason: reason)
  }

  /// A number that another content does not have: what an element of a file says of when it was
  /// updated need not be true, and any change of it is an update.
  private static func fingerprint(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.withUnsafeBytes { Int64(bitPattern: Fingerprint.value(of: $0)) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

/// Counts lines up to places that come in order; one pass in all.
private struct LineCounter {
  private let bytes: [UInt8]
  private var at = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The line a place is on, from 1; no earlier a place than any before.
  mutating func line(of place: Int) -> Int {
    while at < place {
      if bytes[at] == UInt8(ascii: "\n") { line += 1 }
      at += 1
    }
    return line
  }
}
