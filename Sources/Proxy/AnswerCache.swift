import HTTP

/// One loop's finished answers by target and coding, bounded in bytes.
///
/// Two generations: what is asked for stays in the young one; when that holds half the bytes, it
/// becomes the old one and what was old is dropped. So what is asked for often is never dropped,
/// and nothing has to be kept in order.
struct AnswerCache {
  /// What all loops keep at most, in bytes, where they are few.
  static let bytesMax = 64 << 20
  /// What one loop may keep in any case, in bytes: some large answers.
  static let loopBytesMin = 8 << 20

  /// What each of so many loops keeps at most, in bytes: their part of what all keep, so that a
  /// machine with many processors does not fill a container made for few. 1 loop keeps 64 MB, 2
  /// keep 32 MB each, 8 and more keep 8 MB each.
  static func bytesMax(loops: Int) -> Int {
    max(loopBytesMin, bytesMax / max(1, loops))
  }

  private let generationBytesMax: Int
  private var young: [UInt64: FinishedAnswer] = [:]
  private var old: [UInt64: FinishedAnswer] = [:]
  private var youngBytes = 0
  private var oldBytes = 0
  /// Differs from run to run, so that nobody can choose targets that fall together.
  private let seed = UInt64.random(in: .min ... .max)

  /// An empty cache.
  init(bytesMax: Int) {
    generationBytesMax = bytesMax / 2
  }

  /// How many bytes it holds.
  var bytes: Int { youngBytes + oldBytes }

  /// The answer kept for a target; nil when there is none.
  mutating func answer(
    to target: UnsafeRawBufferPointer, as coding: ContentCoding
  ) -> FinishedAnswer? {
    let key = key(of: target, coding)
    if let answer = young[key] { return answer.isAnswer(to: target, as: coding) ? answer : nil }
    guard let answer = takeOld(key), answer.isAnswer(to: target, as: coding) else { return nil }
    insert(answer, key)
    return answer
  }

  /// Keeps an answer, in place of the one that was kept for its target. One too large for half of
  /// the cache is not kept.
  mutating func keep(_ answer: FinishedAnswer) {
    guard answer.size <= generationBytesMax else { return }
    insert(answer, key(of: answer))
  }

  /// Drops what is kept for a target.
  mutating func drop(_ answer: FinishedAnswer) {
    let key = key(of: answer)
    if let dropped = young.removeValue(forKey: key) { youngBytes -= dropped.size }
    _ = takeOld(key)
  }

  private mutating func insert(_ answer: FinishedAnswer, _ key: UInt64) {
    _ = takeOld(key)
    let replaced = young.updateValue(answer, forKey: key)
    youngBytes += answer.size - (replaced?.size ?? 0)
    guard youngBytes > generationBytesMax else { return }
    old = young
    oldBytes = youngBytes
    young = [key: answer]
    youngBytes = answer.size
    _ = takeOld(key)
  }

  private mutating func takeOld(_ key: UInt64) -> FinishedAnswer? {
    guard let answer = old.removeValue(forKey: key) else { return nil }
    oldBytes -= answer.size
    return answer
  }

  private func key(of answer: FinishedAnswer) -> UInt64 {
    answer.target.withUnsafeBytes { key(of: $0, answer.coding) }
  }

  private func key(of target: UnsafeRawBufferPointer, _ coding: ContentCoding) -> UInt64 {
    var state = seed ^ (UInt64(target.count) << 8 | UInt64(coding.rawValue))
    var offset = 0
    while offset + 8 <= target.count {
      state = mixed(state ^ target.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    for byte in target[offset...] { rest = rest << 8 | UInt64(byte) }
    return mixed(state ^ rest)
  }

  private func mixed(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return product.high ^ product.low
  }
}

extension FinishedAnswer {
  /// Whether it answers this target, byte for byte, in this coding.
  fileprivate func isAnswer(to target: UnsafeRawBufferPointer, as coding: ContentCoding) -> Bool {
    self.coding == coding && self.target.count == target.count
      && self.target.withUnsafeBytes { $0.elementsEqual(target) }
  }
}
