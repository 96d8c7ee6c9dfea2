private import Bytes

/// What a page tells of the one that follows, looked into as far as it can be.
enum Token {
  /// Whether a token or URL counts elements or pages, so that it shows another place after the list
  /// has moved: it is a number of those that were shown, or has one inside, by name, however it
  /// was encoded. One that names something of the last element as well stands below that.
  ///
  ///     50   offset=50   eyJvZmZzZXQiOjUwfQ==   {"page":2}
  static func counts(_ text: String, shown: Int, last: [String]) -> Bool {
    let texts = [text, decoded(text)].compactMap(\.self)
    // A number that is of the last element is what the list is ordered by.
    if let number = texts.compactMap({ Int($0) }).last {
      return number == shown || !last.contains("\(number)")
    }
    let isNamed = last.contains { value in
      value.utf8.count >= 6 && texts.contains { $0.contains(value) }
    }
    return !isNamed && texts.contains(where: namesNumber)
  }

  /// Whether a counting word stands before digits.
  private static func namesNumber(_ text: String) -> Bool {
    let words = text.lowercased().split {
      !$0.isASCII || !($0.isLetter || $0.isNumber || $0 == "_")
    }
    return zip(words, words.dropFirst()).contains { word, value in
      // Shorter words, and those for an anchor, stand before other things as well.
      word.utf8.count >= 4 && !["start", "from"].contains(word) && Int(value) != nil
        && (Names.isOffset(String(word)) || Names.isPage(String(word)))
    }
  }

  /// What a text is in Base64 of either alphabet; nil where it is none, or no text.
  private static func decoded(_ text: String) -> String? {
    let plain = text.replacing("%3D", with: "=").prefix { $0 != "=" }
    let alphabet = plain.replacing("+", with: "-").replacing("/", with: "_")
    guard alphabet.utf8.count >= 2, let bytes = Base64URL.bytes(Array(alphabet.utf8)) else {
      return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
