/// A waiting line in which who asks for little is served soon: by sizes a power of two apart, the
/// smallest first, and those of one size as they came. Every fourth time the one who came first of
/// all is served, so that no request waits for ever.
struct LineBySize<Element> {
  /// How often the one who came first of all is served: once in so many times.
  static var turnsToFirst: Int { 4 }

  private struct Place {
    var number: Int
    var element: Element
  }

  /// Those of one size, as they came, from `first` on.
  private struct Line {
    private var places: [Place?] = []
    private var first = 0

    var head: Place? { first < places.count ? places[first] : nil }

    mutating func append(_ place: Place) { places.append(place) }

    mutating func takeHead() -> Element? {
      guard let head else { return nil }
      places[first] = nil
      first += 1
      if first > places.count / 2 {
        places.removeFirst(first)
        first = 0
      }
      return head.element
    }
  }

  private var lines = [Line](repeating: Line(), count: Int.bitWidth + 1)
  private var added = 0
  private var taken = 0

  /// How many wait.
  var count: Int { added - taken }
  /// Whether none waits.
  var isEmpty: Bool { count == 0 }

  /// Lets one wait behind those of its size, who asks for so many bytes.
  mutating func add(_ element: Element, bytes: Int) {
    lines[Int.bitWidth - max(0, bytes).leadingZeroBitCount].append(
      Place(number: added, element: element))
    added += 1
  }

  /// Who is served next; nil where none waits.
  mutating func takeNext() -> Element? {
    let waiting = lines.indices.filter { lines[$0].head != nil }
    let isTurnOfFirst = taken % Self.turnsToFirst == Self.turnsToFirst - 1
    let line =
      isTurnOfFirst
      ? waiting.min { lines[$0].head?.number ?? 0 < lines[$1].head?.number ?? 0 } : waiting.first
    guard let line else { return nil }
    taken += 1
    return lines[line].takeHead()
  }
}
