/// How finely an upstream takes a key by which it is asked for what is not newer: by the instant,
/// or by whole days somewhere on Earth.
package struct KeyGrain: Hashable, Sendable {
  /// How many keys are taken together; at least 1.
  package let length: Int64
  /// The first key of one of these stretches: days begin at another instant in each zone.
  package let origin: Int64

  /// A grain of so many keys, one of which begins at `origin`.
  package init(length: Int64, origin: Int64 = 0) {
    (self.length, self.origin) = (max(1, length), origin)
  }

  /// The greatest key that is taken together with one.
  package func last(of key: Int64) -> Int64 {
    let distance = key.clampedSubtracting(origin)
    let into = distance >= 0 ? distance % length : (length - 1) + (distance + 1) % length
    return key.clampedSubtracting(into).clampedAdding(length - 1)
  }
}
