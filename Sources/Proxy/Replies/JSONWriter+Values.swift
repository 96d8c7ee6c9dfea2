import Bytes
import Feed
import JSONBytes

extension JSONWriter {
  /// Appends an instant as text (RFC 3339).
  mutating func append(_ instant: Timestamp) {
    append(raw: "\"")
    RFC3339.withText(instant) { append(ascii: $0) }
    append(raw: "\"")
  }

  /// Appends a change's number as text: `"k3f9x0ab.57"`.
  mutating func append(_ number: SequenceNumber) {
    var epoch = number.epoch
    append(raw: "\"")
    epoch.withUTF8 { append(escaped: $0) }
    append(raw: ".")
    append(number.number)
    append(raw: "\"")
  }
}
