#if DEBUG
  @testable import Freshness
  @testable import Upstream

  /// An answer as it came: heads up to an empty line, then a body in chunks, which comes in pieces
  /// that the first byte chooses.
  func rawFault(_ bytes: [UInt8]) -> String? {
    guard let seed = bytes.first else { return nil }
    let input = bytes.dropFirst()
    let end = input.firstRange(of: Array("\n\n".utf8))?.lowerBound ?? input.endIndex
    var head = RawHead()
    head.begin(Array("HTTP/1.1 200 OK".utf8))
    for line in input[..<end].split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "HTTP/".utf8) { head.begin(line) } else { head.append(line) }
    }
    for line in head.fields.lines {
      if !FieldLine.isName(line.name.utf8) { return "a field without a name" }
      let isClean = line.value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
      if !isClean { return "a value with a control byte" }
    }
    let body = input[end...].dropFirst(2)
    let whole = decoded([body])
    guard whole == decoded(pieces(of: body, seed: seed)) else { return "the split matters" }
    if let whole, whole.count > body.count { return "more came out than went in" }
    return nil
  }

  private func decoded(_ pieces: [ArraySlice<UInt8>]) -> [UInt8]? {
    var coding = TransferCoding()
    var body: [UInt8] = []
    for piece in pieces {
      let isGood = Array(piece).withUnsafeBytes { coding.decode($0, into: &body) }
      guard isGood else { return nil }
    }
    return coding.isAtEnd ? body : nil
  }
#endif
