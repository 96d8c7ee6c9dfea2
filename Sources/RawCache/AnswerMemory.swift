import Feed
import Freshness

/// The answers that were used last, by target, bounded in bytes.
///
/// Two generations: what is used stays in the young one; when that holds half of the bytes it
/// becomes the old one, and what was old is dropped.
struct AnswerMemory {
  /// What is kept of a target.
  struct Entry {
    /// Its variants, the newest first.
    var answers: [RawAnswer]
    /// When its use was last noted in the store.
    var notedAt: Timestamp

    /// About how many bytes it takes, its target's name included.
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

  /// What is held of a target; nil where nothing is.
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

  /// Notes that the store was told of a use.
  mutating func note(_ target: String, at now: Timestamp) {
    young[target]?.notedAt = now
  }

  /// Drops what is selected.
  mutating func drop(_ selection: AnswerSelection) {
    for target in Array(young.keys) + Array(old.keys) where selection.selects(target) {
      self[target] = nil
    }
  }
}
