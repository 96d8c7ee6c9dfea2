import ArgumentParser

/// How `walk` prints an item; each is one line.
enum WalkFormat: String, CaseIterable, ExpressibleByArgument {
  /// The item's own bytes.
  case ndjson
  /// What names the item, a time where it has one, and a text, in columns.
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
