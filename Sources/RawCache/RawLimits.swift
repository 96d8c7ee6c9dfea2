/// What one source's answers may take.
package struct RawLimits: Hashable, Sendable {
  /// The largest content that is kept, in bytes.
  package var bodyBytesMax = 1 << 20
  /// What all answers kept may take, in bytes.
  package var bytesMax: Int64 = 64 << 20
  /// What of them is held in memory at most, in bytes.
  package var memoryBytesMax = 8 << 20
  /// The most variants of a target.
  package var variantsMax = 16

  /// The limits of a configuration that says nothing.
  package init() {}
}
