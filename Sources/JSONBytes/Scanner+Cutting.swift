/// Cutting a value to a tree of names: what is kept is copied, what is not is skipped over.
extension Scanner {
  /// Appends what `tree` keeps of the value at the present place, and moves past it. False, and
  /// nothing appended, when the value has no members to be kept of. `depth` containers are open.
  mutating func cut(
    to tree: FieldTree, depth: Int, into output: inout [UInt8]
  ) throws(JSONError) -> Bool {
    let start = at
    guard let members = tree.members else {
      try skipValue()
      append(start..<at, to: &output)
      return true
    }
    guard let first = peek() else { throw .truncated(offset: at) }
    switch first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < JSON.nestingMax else { throw .tooDeep(offset: at) }
      if first == UInt8(ascii: "{") {
        try cutObject(to: members, depth: depth + 1, into: &output)
      } else {
        try cutArray(to: tree, depth: depth + 1, into: &output)
      }
    default:
      try skipValue()
      // Nothing in place of an object says that there is none; nothing else is meant to be kept.
      guard first == UInt8(ascii: "n") else { return false }
      append(start..<at, to: &output)
    }
    return true
  }

  private mutating func cutObject(
    to members: [FieldTree.Member], depth: Int, into output: inout [UInt8]
  ) throws(JSONError) {
    at += 1
    output.append(UInt8(ascii: "{"))
    skipWhiteSpace()
    var isFirst = true
    if peek() == UInt8(ascii: "}") {
      at += 1
    } else {
      repeat {
        skipWhiteSpace()
        let key = try skipKey()
        guard let index = index(of: key, among: members, { $0.name }) else {
          try skipValue()
          skipWhiteSpace()
          continue
        }
        let count = output.count
        if !isFirst { output.append(UInt8(ascii: ",")) }
        append(key, to: &output)
        output.append(UInt8(ascii: ":"))
        if try cut(to: members[index].tree, depth: depth, into: &output) {
          isFirst = false
        } else {
          output.removeLast(output.count - count)
        }
        skipWhiteSpace()
      } while try continues(until: UInt8(ascii: "}"))
    }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func cutArray(
    to tree: FieldTree, depth: Int, into output: inout [UInt8]
  ) throws(JSONError) {
    at += 1
    output.append(UInt8(ascii: "["))
    skipWhiteSpace()
    var isFirst = true
    if peek() == UInt8(ascii: "]") {
      at += 1
    } else {
      repeat {
        skipWhiteSpace()
        if !isFirst { output.append(UInt8(ascii: ",")) }
        if try cut(to: tree, depth: depth, into: &output) {
          isFirst = false
        } else if !isFirst {
          output.removeLast()
        }
        skipWhiteSpace()
      } while try continues(until: UInt8(ascii: "]"))
    }
    output.append(UInt8(ascii: "]"))
  }

  private func append(_ range: Range<Int>, to output: inout [UInt8]) {
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }
}
