/// Whether a store works, and what is done where it is damaged.
package protocol StoreHealth: Sendable {
  /// Whether the present file was found to be damaged.
  var isDamaged: Bool { get }

  /// Sets the file of this epoch aside and begins a new one, unless that is done already. Returns
  /// where the damaged file is now; nil when nothing was done.
  func renew(from epoch: String) throws(StoreError) -> String?

  /// Asks for one small write and takes it back: whether the store works.
  func check() throws(StoreError)
}
