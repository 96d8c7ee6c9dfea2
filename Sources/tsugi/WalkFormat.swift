import ArgumentParser
import JSONBytes

/// How `walk` prints an item; each is one line.
enum WalkFormat: String, CaseIterable, ExpressibleByArgument {
  /// The item's own bytes.
  case ndjson
  /// `id`, `created_at` and `title` in columns.
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

  private static func row(of item: ArraySlice<UInt8>) -> String {
    let id = column("id", of: item, width: 20)
    let createdAt = column("created_at", of: item, width: 25)
    return "\(id)  \(createdAt)  \(column("title", of: item, width: 0))\n"
  }

  /// A member's text, filled up to `width` characters; `-` where the item has none.
  private static func column(
    _ name: String, of item: ArraySlice<UInt8>, width: Int
  ) -> String {
    var text = "-"
    do throws(JSONError) {
      if let range = try JSON.member(name, of: item) {
        text = String(decoding: try JSON.text(item[range]), as: UTF8.self)
      }
    } catch {
      // A number, an array or a broken element has no text to show.
      text = "-"
    }
    let shown = String(String.UnicodeScalarView(text.unicodeScalars.map(visible)))
    return shown + String(repeating: " ", count: max(0, width - shown.count))
  }

  /// Control characters could move the cursor or colour the terminal of whoever looks.
  private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    scalar.properties.generalCategory == .control ? " " : scalar
  }
}
