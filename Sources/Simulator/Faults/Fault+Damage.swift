import JSONBytes

extension Fault {
  /// The answer that takes the place of any other; nil for a fault that only damages one.
  var replacement: Answer? {
    let html = { (status: Int, title: String) in
      let text = "<html>\r\n<head><title>\(title)</title></head>\r\n<body></body>\r\n</html>\r\n"
      return Answer(status: status, fields: [Answer.htmlType], body: Array(text.utf8))
    }
    switch self {
    case .serverError:
      return .error(500, "Internal server error", "internal_server_error")
    case .badGateway: return html(502, "502 Bad Gateway")
    case .unavailable: return html(503, "503 Service Temporarily Unavailable")
    case .tooManyRequests: return .error(429, "Rate limit exceeded", "rate_limit_exceeded")
    case .forbidden: return .error(403, "Forbidden", "forbidden")
    case .notJSON:
      var answer = html(200, "Just a moment")
      answer.fields = [Answer.jsonType]
      return answer
    default: return nil
    }
  }

  /// How an answer with a body of so many bytes is delivered.
  func delivery(bodyBytes: Int) -> Answer.Delivery {
    switch self {
    case .reset: .reset
    case .cut: .cut(bodyBytes: bodyBytes / 2)
    case .slow: .stall(bodyBytes: bodyBytes / 2)
    case .hang: .hang
    default: .whole
    }
  }

  /// The elements of a page with the damage done to one or two of them, chosen at random.
  func damaged(_ elements: [[UInt8]], _ generator: inout SeededGenerator) -> [[UInt8]] {
    guard !elements.isEmpty else { return elements }
    var elements = elements
    let place = generator.below(elements.count)
    switch self {
    case .badItem:
      let kind = generator.below(3)
      let (key, value) = [("id", "null"), ("created_at", #""yesterday""#), ("user", "tru")][kind]
      elements[place] = Self.replacing(key, with: Array(value.utf8), in: elements[place])
    case .badUTF8:
      elements[place] = Self.replacing(
        "title", with: [0x22, 0xC3, 0x28, 0x22], in: elements[place])
    case .huge:
      let text = [0x22] + [UInt8](repeating: 0x61, count: Self.hugeBytes) + [0x22]
      elements[place] = Self.replacing("body", with: text, in: elements[place])
    case .twice where elements.count > 1:
      elements.insert(elements[place], at: min(place + 1, elements.count - 1))
      elements.removeLast()
    case .disorder where elements.count > 1:
      let other = (place + 1 + generator.below(elements.count - 1)) % elements.count
      elements.swapAt(place, other)
    default: break
    }
    return elements
  }

  /// The element with another value under a key; unchanged when it has no such key.
  private static func replacing(
    _ key: String, with value: [UInt8], in element: [UInt8]
  ) -> [UInt8] {
    // A broken element has no member to replace and is bad enough already.
    guard let range = try? JSON.member(key, of: element[...]) else { return element }
    return element[..<range.lowerBound] + value + element[range.upperBound...]
  }
}
