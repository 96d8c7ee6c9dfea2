import ArgumentParser
import JSONBytes

/// How `walk` prints an item; each is one line.
enum WalkFormat: String, CaseIterable, ExpressibleByArgument {
  /// The item's own bytes.
  case ndjson
  /// What names the item, its `created_at` where it has one, and a text, in columns.
  case table

  /// The item's line, its end included.
  func line(for item: ArraySlice<UInt8>) -> [UInt8] {
    switch self {
    case .ndjson: WalkFormat.folded(item)
    case .table: Array(WalkFormat.row(of: item).utf8)
    }
  }

  /// The item's bytes as they are, but for line ends, which become spaces. JSON allows these only
  /// between tokens (RFC 8259 §7: inside a text they are escaped), so the value is the same.
  private static func folded(_ item: ArraySlice<UInt8>) -> [UInt8] {
    item.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
      + [UInt8(ascii: "\n")]
  }

  /// Identity, time where there is one, and a text: `489df135  2026-11-21T00:00:00Z  Swift次へ`.
  private static func row(of item: ArraySlice<UInt8>) -> String {
    let row = TableRow(of: item)
    let time = row.time.map { "  \(padded($0, to: 25))" } ?? ""
    return "\(padded(row.identity ?? "-", to: 20))\(time)  \(shown(row.text ?? "-"))\n"
  }

  private static func padded(_ text: String, to width: Int) -> String {
    let shown = shown(text)
    return shown + String(repeating: " ", count: max(0, width - shown.count))
  }

  /// A text on one line, cut after so many characters.
  private static func shown(_ text: String) -> String {
    let line = String(String.UnicodeScalarView(text.unicodeScalars.map(visible)))
    return line.count > widthMax ? "\(line.prefix(widthMax - 1))…" : line
  }

  private static let widthMax = 120

  /// Control characters could move the cursor or colour the terminal.
  private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.generalCategory == .control ? " " : scalar
  }
}

/// The columns of a table row, for an item of any feed.
struct TableRow {
  /// `id`, or where there is none `user.id`: a text, or a number as it stands.
  private(set) var identity: String?
  /// `created_at`.
  private(set) var time: String?
  /// `title` or `name`, or the first text that is not one of the others and no address.
  private(set) var text: String?

  /// What an item has of it; nothing of what is no object.
  init(of item: ArraySlice<UInt8>) {
    let members = TableRow.members(of: item)
    let value = { (name: String) in members.first { $0.name == name }?.value }
    let user = value("user").map(TableRow.members) ?? []
    identity =
      [value("id"), user.first { $0.name == "id" }?.value].lazy
      .compactMap(\.self).compactMap(TableRow.word).first
    time = value("created_at").flatMap(TableRow.text)
    let others = members.filter { !["id", "created_at", "updated_at"].contains($0.name) }
    text =
      ["title", "name"].lazy.compactMap(value).compactMap(TableRow.text).first
      ?? others.lazy.compactMap { TableRow.text($0.value) }.first { !$0.contains("://") }
  }

  /// An object's members; none of what is no object, or broken.
  private static func members(
    of object: ArraySlice<UInt8>
  ) -> [(name: String, value: ArraySlice<UInt8>)] {
    do throws(JSONError) {
      return try JSON.members(of: object).map { (key, value) throws(JSONError) in
        (String(decoding: try JSON.text(object[key]), as: UTF8.self), object[value])
      }
    } catch {
      // It is shown as what it lacks.
      return []
    }
  }

  /// A text; nil for another value.
  private static func text(_ value: ArraySlice<UInt8>) -> String? {
    do throws(JSONError) {
      return String(decoding: try JSON.text(value), as: UTF8.self)
    } catch {
      // A number, a list or nothing: it has no text to show.
      return nil
    }
  }

  /// A text, or a number as it stands.
  private static func word(_ value: ArraySlice<UInt8>) -> String? {
    if let text = text(value) { return text }
    let isNumber = value.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
    return isNumber == true ? String(decoding: value, as: UTF8.self) : nil
  }
}
