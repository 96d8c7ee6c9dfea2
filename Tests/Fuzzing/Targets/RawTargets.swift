#if DEBUG
  @testable import Freshness
  @testable import Upstream

  /// The heads of an answer as they came.
  func rawFault(_ bytes: [UInt8]) -> String? {
    var head = HeadReader()
    head.begin(Array("HTTP/1.1 200 OK".utf8))
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "HTTP/".utf8) { head.begin(line) } else { head.append(line) }
    }
    for line in head.fields.lines {
      if !FieldLine.isName(line.name.utf8) { return "a field without a name" }
      let isClean = line.value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
      if !isClean { return "a value with a control byte" }
    }
    return nil
  }
#endif
