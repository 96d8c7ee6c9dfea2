import Bytes
import Feed
import Freshness

/// The most recently used answers by target, limited in bytes.
struct AnswerMemory {
  /// The answers to a target.
  struct Entry {
    /// Its variants, the newest first.
    var answers: [RawAnswer]
    /// When the store last recorded a use.
    var notedAt: Timestamp

    /// Its size in bytes, about, with the target's name.
    func byteCount(at target: String) -> Int {
      answers.reduce(target.utf8.count) { $0 + $1.byteCount }
    }
  }

  private var entries: TwoGenerations<String, Entry>

  init(bytesMax: Int) {
    entries = TwoGenerations(bytesMax: bytesMax)
  }

  /// The entry of a target; nil if there is none.
  subscript(target: String) -> Entry? {
    mutating get { entries.use(target) }
    set {
      guard let entry = newValue else { return entries.drop(target) }
      entries.keep(entry, target, bytes: entry.byteCount(at: target))
    }
  }

  /// Records when the store last recorded a use.
  mutating func note(_ target: String, at now: Timestamp) {
    self[target]?.notedAt = now
  }

  /// Drops the selected targets.
  mutating func drop(_ selection: AnswerSelection) {
    for target in entries.keys where selection.selects(target) { entries.drop(target) }
  }
}
