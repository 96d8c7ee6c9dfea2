/// The two loops in which nearly all the time goes: to the end of a text, to the end of a
/// container.
extension Scanner {
  /// Moves from an opening quote past the closing one.
  ///
  /// Only quotes are looked for: in HTML as JSON escapes are many times more frequent than quotes,
  /// and stopping at each took three times as long (0.43 ms against 0.14 ms for 1.1 MB).
  mutating func skipText() throws(JSONError) {
    let start = at + 1
    at = start
    while true {
      moveToQuote()
      guard at < end else { throw .truncated(offset: end) }
      at += 1
      if !isEscaped(at - 1, from: start) { return }
    }
  }

  /// Moves from an opening bracket past the one that closes it. Of what is deeper than
  /// `JSON.nestingMax` only texts and brackets are read, so that one such element never costs the
  /// others.
  mutating func skipContainer() throws(JSONError) {
    var open = OpenContainers()
    while at < end {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        try skipText()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.push(isObject: byte == UInt8(ascii: "{")) { at += 1 } else { try skipTooDeep() }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard open.pop() == (byte == UInt8(ascii: "}")) else {
          throw .mismatchedBracket(offset: at)
        }
        at += 1
        if open.count == 0 { return }
      default:
        at += 1
      }
    }
    throw .truncated(offset: end)
  }

  /// Moves from an opening bracket past as many closing ones, of whichever kind, as there are
  /// opening ones.
  private mutating func skipTooDeep() throws(JSONError) {
    var depth = 0
    while at < end {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        try skipText()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      at += 1
      if depth == 0 { return }
    }
    throw .truncated(offset: end)
  }

  /// Whether an odd number of backslashes stands before `place`. All calls for one text together
  /// look at each byte once at most, for a quote stands between their runs.
  private func isEscaped(_ place: Int, from start: Int) -> Bool {
    var first = place
    while first > start, bytes[first - 1] == UInt8(ascii: "\\") { first -= 1 }
    return (place - first) & 1 == 1
  }

  /// Moves to the next quote, 32 and then eight bytes at a time; to `end` without one.
  private mutating func moveToQuote() {
    while at + 32 <= end {
      let any = quotes(at) | quotes(at + 8) | quotes(at + 16) | quotes(at + 24)
      guard any == 0 else { break }
      at += 32
    }
    while at + 8 <= end {
      let found = quotes(at)
      if found != 0 {
        at += found.trailingZeroBitCount >> 3
        return
      }
      at += 8
    }
    while at < end, bytes[at] != UInt8(ascii: "\"") { at += 1 }
  }

  /// The high bit of every byte of the word at `place` that is a quote; see `zeroBytes`.
  private func quotes(_ place: Int) -> UInt64 {
    zeroBytes(word(at: place) ^ 0x2222_2222_2222_2222)
  }

  /// Eight bytes as a number whose lowest byte comes first.
  func word(at place: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
  }

  /// The high bit of every byte that is zero. Above the lowest one a borrow may mark others; only
  /// the lowest is read.
  func zeroBytes(_ word: UInt64) -> UInt64 {
    (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
  }
}
