/// A line that is overwritten while something goes on, where a person looks; nowhere else.
struct ProgressLine: Sendable {
  let stream: StandardStream

  /// Shows what goes on now.
  func show(_ text: String) {
    guard stream.isTerminal else { return }
    stream.write(Array("\r\u{1B}[K\(text)".utf8))
  }

  /// Leaves the line empty.
  func clear() { show("") }
}
