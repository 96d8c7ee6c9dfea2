/// A number's digits to the base of 36, in lower case: quicker than by the way that takes any base.
/// `before` and `after` stand around it.
package func base36(
  _ number: UInt64, between before: StaticString = "", and after: StaticString = ""
) -> String {
  withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { text in
    let end = text.count - after.utf8CodeUnitCount
    var start = end
    var rest = number
    repeat {
      start -= 1
      let digit = UInt8(truncatingIfNeeded: rest % 36)
      text[start] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
      rest /= 36
    } while rest > 0
    start -= before.utf8CodeUnitCount
    for index in 0..<before.utf8CodeUnitCount { text[start + index] = before.utf8Start[index] }
    for index in 0..<after.utf8CodeUnitCount { text[end + index] = after.utf8Start[index] }
    return String(decoding: text[start...], as: UTF8.self)
  }
}
