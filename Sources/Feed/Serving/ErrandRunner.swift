/// Has an errand done as soon as the source's budget and order allow; see `FeedReader.run`.
package protocol ErrandRunner: AnyObject, Sendable {
  /// Waits until the errand is done. Throws why no answer came, or none was asked for; `permit` is
  /// asked before one that opens something.
  func run(_ errand: Errand, permit: OpeningPermit?) async throws(ReadError)
}
