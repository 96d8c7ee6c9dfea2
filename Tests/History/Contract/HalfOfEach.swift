import Feed

/// Keeps the first half of each content that has an even number of bytes, and leaves the others.
final class HalfOfEach: Projection {
  private(set) var readings = 0
  private var halves: [Int64: ProjectedContent] = [:]
  private var left: Set<Int64> = []

  static func half(of element: Element) -> Element {
    guard element.bytes.count.isMultiple(of: 2) else { return element }
    var element = element
    let half = half(of: element.bytes)
    (element.bytes, element.digest) = (half.bytes, half.digest)
    return element
  }

  private static func half(of content: [UInt8]) -> ProjectedContent {
    let half = Array(content.prefix(content.count / 2))
    return ProjectedContent(bytes: half, digest: UInt64(half.count))
  }

  func known(of item: Int64) -> ProjectedContent? { halves[item] }

  func shaped(_ content: [UInt8], of item: Int64) -> ProjectedContent? {
    guard content.count.isMultiple(of: 2) else {
      if left.insert(item).inserted { readings += 1 }
      return nil
    }
    readings += 1
    halves[item] = HalfOfEach.half(of: content)
    return halves[item]
  }
}
