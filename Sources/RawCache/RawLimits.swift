/// The limits of one source's stored answers.
package struct RawLimits: Hashable, Sendable {
  /// The largest content that is stored, in bytes.
  package var bodyBytesMax = 1 << 20
  /// The most bytes of all stored answers.
  package var bytesMax: Int64 = 64 << 20
  /// The most bytes of them in memory.
  package var memoryBytesMax = 8 << 20
  /// The most variants of a target.
  package var variantsMax = 16

  /// The default limits.
  package init() {}
}
