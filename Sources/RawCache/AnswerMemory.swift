import Feed
import Freshness

/// The most recently used answers by target, limited in bytes.
///
/// Two generations: a used answer moves to the young one. When the young one holds half of the
/// bytes, it becomes the old one, and the former old one is dropped.
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

  private let generationBytesMax: Int
  private var young: [String: Entry] = [:]
  private var old: [String: Entry] = [:]
  private var youngBytes = 0

  init(bytesMax: Int) {
    generationBytesMax = bytesMax / 2
  }

  /// The entry of a target; nil if there is none.
  subscript(target: String) -> Entry? {
    mutating get {
      if let entry = young[target] { return entry }
      guard let entry = old.removeValue(forKey: target) else { return nil }
      self[target] = entry
      return entry
    }
    set {
      old[target] = nil
      if let former = young.removeValue(forKey: target) {
        youngBytes -= former.byteCount(at: target)
      }
      guard let entry = newValue else { return }
      let bytes = entry.byteCount(at: target)
      guard bytes <= generationBytesMax else { return }
      young[target] = entry
      youngBytes += bytes
      guard youngBytes > generationBytesMax else { return }
      (old, young, youngBytes) = (young, [target: entry], bytes)
      old[target] = nil
    }
  }

  /// Records when the store last recorded a use.
  mutating func note(_ target: String, at now: Timestamp) {
    young[target]?.notedAt = now
  }

  /// Drops the selected targets.
  mutating func drop(_ selection: AnswerSelection) {
    for target in Array(young.keys) + Array(old.keys) where selection.selects(target) {
      self[target] = nil
    }
  }
}
