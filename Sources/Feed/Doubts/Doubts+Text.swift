import Bytes

/// Doubts as they are stored with a feed's row, so that a restart forgets none and all servers that
/// share a store know the same.
extension Doubts {
  /// The most bytes of one claim that are stored; a longer one is forgotten by a restart.
  private static let lineBytesMax = 512

  /// Claims with `;` between them, each as its name, what it is of, when it was made first in
  /// milliseconds since 1970, its value, answers, rests, until when it rests, how often it was
  /// asked for again; of an end also the answer's first rank, size, count, total and whether it
  /// contradicts itself: `end - 1800000000000 40 1 0 - 0 0 100 40 330 1`.
  package var text: String {
    entries.filter(\.isStored).map(Doubts.text)
      .filter { $0.utf8.count <= Doubts.lineBytesMax }.joined(separator: ";")
  }

  private static func text(_ entry: Entry) -> String {
    var numbers: [Int64?] = [
      entry.since.milliseconds, Int64(entry.value), Int64(entry.answers), Int64(entry.rests),
      entry.restsUntil?.milliseconds, Int64(entry.asks),
    ]
    if let answer = entry.answer, answer.below == nil {
      let window = answer.window
      numbers += [window.firstRank, window.perPage, answer.count, answer.total].map { number in
        number.map { Int64($0) }
      }
      numbers.append(answer.isContested ? 1 : 0)
    }
    return ([entry.name, text(entry.subject)] + numbers.map { $0.map(String.init) ?? "-" })
      .joined(separator: " ")
  }

  private static func text(_ subject: Subject) -> String {
    switch subject {
    case .feed: "-"
    case .answer(let number): "a\(number)"
    case .word(let word): "w" + text(Array(word.utf8))
    case .range(let range):
      "r"
        + [range.upper, range.lower].map { "\($0.position.order).\(text($0.position.tie))" }
        .joined(separator: ".")
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes(Base64URL.text) }

  /// As they were stored; one that is not of that form, or whose claim is not known, is left out.
  package init(text: String) {
    for line in text.split(separator: ";") {
      guard let entry = Doubts.entry(line.split(separator: " ")),
        let claim = Claim.all.first(where: { $0.name == entry.name }),
        entries.count(where: { $0.name == claim.name }) < claim.entriesMax
      else { continue }
      entries.append(entry)
    }
  }

  private static func entry(_ parts: [Substring]) -> Entry? {
    guard parts.count == 8 || parts.count == 13, let subject = subject(parts[1]) else { return nil }
    let numbers = parts[2...].map { Int64($0).map(StoredInteger.init) }
    guard let since = numbers[0], let value = numbers[1], let answers = numbers[2],
      let rests = numbers[3], let asks = numbers[5]
    else { return nil }
    var entry = Entry(name: String(parts[0]), subject: subject, since: since.instant)
    (entry.value, entry.answers) = (value.number, answers.count)
    (entry.rests, entry.asks, entry.restsUntil) = (rests.count, asks.count, numbers[4]?.instant)
    if parts.count == 13, let first = numbers[6], let size = numbers[7], let count = numbers[8] {
      entry.answer = Answer(
        window: Window(offset: first.count, perPage: max(1, size.count)), sentAt: since.instant,
        count: count.count, total: numbers[9]?.count, isContested: numbers[10]?.value == 1)
    }
    return entry
  }

  private static func subject(_ text: Substring) -> Subject? {
    let rest = text.dropFirst()
    let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
    switch text.first {
    case "-": return .feed
    case "a": return Int(rest).map(Subject.answer)
    case "w":
      return Base64URL.bytes(Array(rest.utf8)).map { .word(String(decoding: $0, as: UTF8.self)) }
    case "r" where parts.count == 4:
      guard let upper = cut(parts[0], parts[1]), let lower = cut(parts[2], parts[3]) else {
        return nil
      }
      return .range(CutRange(upper: upper, lower: lower))
    default: return nil
    }
  }

  private static func cut(_ order: Substring, _ tie: Substring) -> Cut? {
    guard let order = Int64(order), let tie = Base64URL.bytes(Array(tie.utf8)) else { return nil }
    return Cut(position: Position(order: order, tie: tie))
  }
}
