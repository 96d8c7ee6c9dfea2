import Bytes

/// What a walk of a merged feed remembers of its parts: whose gap right below it is passed, a
/// ``Trail`` of each that has moves, and the last number of each where several servers share a
/// store.
package struct PartTrails: Hashable, Sendable {
  /// Stands for the names of all parts: what was remembered of others means nothing.
  package var parts: UInt16
  /// A bit for each part whose gap is passed, by its place among the names.
  package var passed: UInt32 = 0
  /// The trails, by their parts' places among the names; where each began is the walk's.
  package var trails: [UInt8: Trail] = [:]
  /// A bit for each part whose trail found no room: nothing is left out of it.
  package var dropped: UInt32 = 0
  /// The last numbers that the client has got of parts, by their places among the names.
  package var numbers: [UInt8: Int64] = [:]

  /// Nothing so far, of parts that this stands for.
  package init(parts: UInt16) {
    self.parts = parts
  }

  /// Whether it remembers nothing.
  package var isEmpty: Bool { passed == 0 && dropped == 0 && trails.isEmpty && numbers.isEmpty }

  /// The bit of a part.
  package static func bit(_ part: Int) -> UInt32 { 1 << UInt32(truncatingIfNeeded: part & 31) }

  /// What a walk remembers that begins now.
  package var beginning: PartTrails {
    var parts = self
    parts.passed = 0
    parts.trails = trails.mapValues { Trail(known: $0.known) }
    return parts
  }
}

/// As a cursor carries it: what stands for the parts, the bits of both kinds, where the walk began,
/// the numbers, then each part's place, its trail's length and the trail. The numbers have a place
/// that no part has, their length, and one each more for all parts up to the last that has one.
extension PartTrails {
  /// The bytes of a cursor at `order` of a walk of this trail, `max` at most. Trails for which
  /// there is no room are left away.
  func bytes(of walk: Trail, at order: Int64, max: Int) -> [UInt8] {
    var bytes = [UInt8(parts >> 8), UInt8(truncatingIfNeeded: parts)]
    bytes += Varint.bytes(of: UInt64(passed))
    let bare = Trail(known: 0, begin: walk.begin)
    let beginning = walk.begin == nil ? [] : bare.bytes(at: order, max: max)
    // Bits of dropped trails take five bytes at most.
    var room = max - bytes.count - 5 - 1 - beginning.count
    var dropped = dropped
    var kept = bytesOfNumbers(in: room)
    room -= kept.count
    for (part, trail) in trails.sorted(by: { $0.key < $1.key }) {
      guard room >= PartTrails.trailBytesMin else {
        dropped |= PartTrails.bit(Int(part))
        continue
      }
      let next = trail.bytes(at: order, max: room - 2)
      kept += [part, UInt8(next.count)] + next
      room -= 2 + next.count
    }
    return bytes + Varint.bytes(of: UInt64(dropped)) + [UInt8(beginning.count)] + beginning + kept
  }

  /// The bytes of the numbers; none where there is no room for all.
  private func bytesOfNumbers(in room: Int) -> [UInt8] {
    guard let last = numbers.keys.max() else { return [] }
    let bytes = (0...last).flatMap { part in
      Varint.bytes(of: numbers[part].map { UInt64(max(0, $0)) + 1 } ?? 0)
    }
    return bytes.count + 2 <= min(room, 255)
      ? [PartTrails.numbersPlace, UInt8(bytes.count)] + bytes : []
  }

  /// Where the numbers stand among the parts' places.
  private static let numbersPlace = UInt8.max

  /// The bytes that a trail takes at most which was given nothing, with its place and length.
  private static let trailBytesMin = 2 + 8 + 1

  /// The walk's trail, of these bytes of a cursor at `order`; nil where they are none.
  static func trail(bytes: ArraySlice<UInt8>, at order: Int64) -> Trail? {
    var rest = bytes
    guard let high = rest.popFirst(), let low = rest.popFirst(),
      let passed = Varint.take(from: &rest, bytesMax: 5), passed <= Int64(UInt32.max),
      let dropped = Varint.take(from: &rest, bytesMax: 5), dropped <= Int64(UInt32.max)
    else { return nil }
    var parts = PartTrails(parts: UInt16(high) << 8 | UInt16(low))
    parts.passed = UInt32(passed)
    parts.dropped = UInt32(dropped)
    guard let beginning = take(from: &rest) else { return nil }
    var walk = Trail()
    if !beginning.isEmpty {
      guard let trail = Trail(bytes: beginning, at: order), trail.known == 0, trail.given.isEmpty
      else { return nil }
      walk = trail
    }
    while let part = rest.popFirst() {
      guard part != numbersPlace else {
        guard parts.numbers.isEmpty, let numbers = take(from: &rest).flatMap(numbers) else {
          return nil
        }
        parts.numbers = numbers
        continue
      }
      guard let next = take(from: &rest), let trail = Trail(bytes: next, at: order),
        trail.begin == nil, parts.trails.updateValue(trail, forKey: part) == nil
      else { return nil }
    }
    walk.parts = parts
    return walk
  }

  /// The numbers that bytes stand for, by their parts' places; nil where they are none.
  private static func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt8: Int64]? {
    var (rest, numbers, part) = (bytes, [UInt8: Int64](), UInt8(0))
    while !rest.isEmpty {
      guard part < PartNumbers.partsMax, let number = Varint.take(from: &rest, bytesMax: 9)
      else { return nil }
      if number > 0 { numbers[part] = number - 1 }
      part += 1
    }
    return numbers
  }

  /// Takes bytes that are led by their number.
  private static func take(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let count = bytes.popFirst(), bytes.count >= Int(count) else { return nil }
    defer { bytes = bytes.dropFirst(Int(count)) }
    return bytes.prefix(Int(count))
  }
}
