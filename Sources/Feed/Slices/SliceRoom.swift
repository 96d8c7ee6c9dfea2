/// Limits the bytes of slices that are on their way to waiting requests: those who waited for one
/// flight all go on at the same time, and what they take together may be as large as the machine.
package protocol SliceRoom: Sendable {
  /// Takes room for so many bytes, in place of what was taken or waited for before; false where
  /// there is none.
  func take(_ bytes: Int) -> Bool

  /// Waits for room for so many bytes, and takes it.
  func wait(for bytes: Int) async
}

extension SliceRoom {
  /// Takes room for so many bytes; where there is none, says how many have to be waited for.
  package func lack(_ bytes: Int) -> Int? { take(bytes) ? nil : bytes }
}
