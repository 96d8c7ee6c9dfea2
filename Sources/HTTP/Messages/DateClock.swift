import Bytes
import Glibc

/// The Date field's line, made again once a second (RFC 9110 §5.6.7, §6.6.1).
struct DateClock {
  /// `Date: Sun, 06 Nov 1994 08:49:37 GMT` and CRLF.
  private(set) var line: [UInt8] = []
  private var second: Int = -1

  /// Looks at the system's clock; costs one call that does not enter the kernel.
  mutating func update() {
    update(secondsSince1970: time(nil))
  }

  mutating func update(secondsSince1970 now: Int) {
    guard now != second else { return }
    second = now
    line = Array("Date: \(HTTPDate.text(seconds: Int64(now)))\r\n".utf8)
  }
}
