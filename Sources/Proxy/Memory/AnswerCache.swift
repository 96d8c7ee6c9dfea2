import Bytes
import HTTP

/// One loop's finished answers by target and coding, bounded in bytes.
///
/// Two generations: a used response moves to the young one. When that holds half of the bytes, it
/// becomes the old one, and the former old one is dropped. So what is used often stays, and no
/// order has to be kept. `RawCache.AnswerMemory` has the same rules for values of another size: a
/// generic type for both is called unspecialised across modules, with each cached reply.
final class AnswerCache {
  /// What one loop may keep in any case, in bytes: some large answers.
  static let loopBytesMin = 8 << 20

  /// The largest answer that is kept the first time that it comes, in bytes.
  static let atOnceBytesMax = 128 << 10
  /// How many larger ones are known to have come once.
  static let onceCount = 1024

  /// What each of so many loops keeps at most, in bytes: their part of what all keep, so that a
  /// machine with many processors does not fill a container made for few. Of 64 MB 1 loop keeps
  /// all, 2 keep 32 MB each, 8 and more keep 8 MB each.
  static func bytesMax(loops: Int, of bytes: Int) -> Int {
    max(loopBytesMin, bytes / max(1, loops))
  }

  private let generationBytesMax: Int
  private var young: [UInt64: FinishedAnswer] = [:]
  private var old: [UInt64: FinishedAnswer] = [:]
  /// Each at the place that its hash names.
  @exclusivity(unchecked) private var repeats = [RepeatedHead?](
    repeating: nil, count: RepeatedHead.countMax)
  /// Hashes of large ones that came once, each at the place that it names.
  private var once = [UInt64](repeating: 0, count: AnswerCache.onceCount)
  private var youngBytes = 0
  private var oldBytes = 0
  /// Differs from run to run, so that no client can choose targets that fall together.
  private let seed = UInt64.random(in: .min ... .max)

  /// An empty cache.
  init(bytesMax: Int) {
    generationBytesMax = bytesMax / 2
  }

  /// How many bytes it holds.
  var bytes: Int { youngBytes + oldBytes }

  /// The answer kept for a target; nil when there is none.
  func answer(
    to target: UnsafeRawBufferPointer, as coding: ContentCoding
  ) -> FinishedAnswer? {
    let key = key(of: target, coding)
    if let answer = young[key] { return answer.isAnswer(to: target, as: coding) ? answer : nil }
    guard let answer = removeOld(key), answer.isAnswer(to: target, as: coding) else { return nil }
    insert(answer, key)
    return answer
  }

  /// Stores an answer, in place of the one that was kept for its target. One too large for half of
  /// the cache is not kept, and a large one not the first time that it comes: a few of those that
  /// no client requests again would drive out what all request.
  func store(_ answer: FinishedAnswer) {
    guard answer.size <= generationBytesMax else { return }
    let key = key(of: answer)
    if answer.size > AnswerCache.atOnceBytesMax, young[key] == nil, old[key] == nil {
      let place = Int(key % UInt64(AnswerCache.onceCount))
      guard once[place] == key else {
        once[place] = key
        return
      }
    }
    insert(answer, key)
  }

  /// What was asked for by a plain head that came before, byte for byte; nil when it is none.
  func repeated(_ head: UnsafeRawBufferPointer) -> RepeatedHead? {
    guard head.count <= RepeatedHead.bytesMax else { return nil }
    let hash = hash(of: head, salt: 0)
    guard let known = repeats[AnswerCache.place(of: hash)], known.hash == hash,
      known.bytes.withUnsafeBytes({ isEqual($0, head) })
    else { return nil }
    return known
  }

  /// Remembers what a plain head asks for that is answered with `answer`. What else decides an
  /// answer must be the same for all who send these bytes.
  func remember(
    _ head: UnsafeRawBufferPointer, for answer: FinishedAnswer, isUnchanged: Bool, isHead: Bool
  ) {
    guard head.count <= RepeatedHead.bytesMax, answer.size <= RepeatedHead.answerBytesMax
    else { return }
    let hash = hash(of: head, salt: 0)
    repeats[AnswerCache.place(of: hash)] = RepeatedHead(
      head, hash: hash, answer: answer, isUnchanged: isUnchanged, isHead: isHead)
  }

  private static func place(of hash: UInt64) -> Int { Int(hash % UInt64(RepeatedHead.countMax)) }

  /// Drops what is kept for a target.
  func drop(_ answer: FinishedAnswer) {
    let key = key(of: answer)
    if let dropped = young.removeValue(forKey: key) { youngBytes -= dropped.size }
    _ = removeOld(key)
  }

  private func insert(_ answer: FinishedAnswer, _ key: UInt64) {
    _ = removeOld(key)
    let replaced = young.updateValue(answer, forKey: key)
    youngBytes += answer.size - (replaced?.size ?? 0)
    guard youngBytes > generationBytesMax else { return }
    // None keeps what is dropped, and what is asked for again comes among the young.
    for place in repeats.indices { repeats[place] = nil }
    old = young
    oldBytes = youngBytes
    young = [key: answer]
    youngBytes = answer.size
    _ = removeOld(key)
  }

  private func removeOld(_ key: UInt64) -> FinishedAnswer? {
    guard let answer = old.removeValue(forKey: key) else { return nil }
    oldBytes -= answer.size
    return answer
  }

  private func key(of answer: FinishedAnswer) -> UInt64 {
    answer.target.withUnsafeBytes { key(of: $0, answer.coding) }
  }

  private func key(of target: UnsafeRawBufferPointer, _ coding: ContentCoding) -> UInt64 {
    hash(of: target, salt: 1 + UInt64(coding.rawValue))
  }

  private func hash(of bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt64 {
    var digest = Digest(seed: seed ^ salt)
    digest.add(bytes)
    return digest.value
  }
}

extension FinishedAnswer {
  /// Whether it answers this target, byte for byte, in this coding.
  fileprivate func isAnswer(to target: UnsafeRawBufferPointer, as coding: ContentCoding) -> Bool {
    self.coding == coding && self.target.count == target.count
      && self.target.withUnsafeBytes { isEqual($0, target) }
  }
}

/// The bytes of an earlier request head, with the cached reply.
///
/// Apps ask for the same again and again with the very same bytes; then nothing of them need be
/// read again. What decides the response besides them, the time and the feed's version, is looked
/// at each time.
final class RepeatedHead {
  /// How many a loop remembers; another at the same place takes it.
  static let countMax = 128
  /// The longest, in bytes.
  static let bytesMax = 1024
  /// The largest answer, as the cache counts it: beside sending more, reading a head is nothing.
  static let answerBytesMax = 32 << 10

  /// Of its bytes.
  let hash: UInt64
  /// The head as it was sent.
  let bytes: [UInt8]
  /// Its answer.
  let answer: FinishedAnswer
  /// Whether it has the answer already: it gets the 304.
  let isUnchanged: Bool
  /// Whether its method is HEAD.
  let isHead: Bool

  /// A head of this hash, and what it is answered with.
  init(
    _ head: UnsafeRawBufferPointer, hash: UInt64, answer: FinishedAnswer, isUnchanged: Bool,
    isHead: Bool
  ) {
    (self.hash, bytes, self.answer) = (hash, Array(head), answer)
    (self.isUnchanged, self.isHead) = (isUnchanged, isHead)
  }
}

/// Whether two are the same, byte for byte: eight at a time.
private func isEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
  guard a.count == b.count else { return false }
  var offset = 0
  while offset + 8 <= a.count {
    guard
      a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        == b.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    else { return false }
    offset += 8
  }
  while offset < a.count {
    guard a[offset] == b[offset] else { return false }
    offset += 1
  }
  return true
}
