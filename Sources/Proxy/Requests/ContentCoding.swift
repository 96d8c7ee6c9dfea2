import Bytes

/// A content coding of replies: identity or gzip (RFC 9110 §8.4.1).
enum ContentCoding: UInt8 {
  case identity
  case gzip

  /// The coding to answer a client with that sent this `Accept-Encoding`; nothing was sent when
  /// it is empty (RFC 9110 §12.5.3).
  ///
  /// `gzip, br` is gzip; `gzip;q=0` and `gzip;q=0.5, identity` are as it is; `*` speaks of gzip
  /// where that is not named. An element that is none is passed over.
  init(accepted list: some Collection<UInt8>) {
    var gzip: Int?
    var identity = 0
    var others = 0
    var rest = list[...]
    while !rest.isEmpty {
      let element = rest.prefix { $0 != UInt8(ascii: ",") }
      rest = rest[element.endIndex...].dropFirst()
      let name = element.drop(while: FieldGrammar.isBlank).prefix {
        !FieldGrammar.isBlank($0) && $0 != UInt8(ascii: ";")
      }
      guard let weight = ContentCoding.weight(element[name.endIndex...]) else { continue }
      if ASCII.equalsIgnoringCase(name, "gzip".utf8)
        || ASCII.equalsIgnoringCase(name, "x-gzip".utf8)
      {
        gzip = max(gzip ?? 0, weight)
      } else if ASCII.equalsIgnoringCase(name, "identity".utf8) {
        identity = weight
      } else if name.elementsEqual("*".utf8) {
        others = weight
      }
    }
    let wanted = gzip ?? others
    self = wanted > 0 && wanted >= identity ? .gzip : .identity
  }

  /// The weight behind a coding's name in thousandths, by default 1000; nil when it is none.
  private static func weight(_ parameter: some Collection<UInt8>) -> Int? {
    let parameter = parameter.drop(while: FieldGrammar.isBlank)
    guard let first = parameter.first else { return 1000 }
    guard first == UInt8(ascii: ";") else { return nil }
    let name = parameter.dropFirst().drop(while: FieldGrammar.isBlank)
    let digits = name.dropFirst(2).prefix { !FieldGrammar.isBlank($0) }
    guard ASCII.equalsIgnoringCase(name.prefix(2), "q=".utf8), digits.count <= 5,
      name[digits.endIndex...].allSatisfy(FieldGrammar.isBlank)
    else { return nil }
    return thousandths(digits)
  }

  /// qvalue (RFC 9110 §12.4.2): `0`, `1`, up to three decimals, at most 1.
  private static func thousandths(_ digits: some Collection<UInt8>) -> Int? {
    guard let first = digits.first, first == 0x30 || first == 0x31 else { return nil }
    var value = Int(first - 0x30) * 1000
    var unit = 100
    for (index, byte) in digits.dropFirst().enumerated() {
      if index == 0 {
        guard byte == UInt8(ascii: ".") else { return nil }
        continue
      }
      guard byte &- 0x30 < 10 else { return nil }
      value += Int(byte - 0x30) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }
}
