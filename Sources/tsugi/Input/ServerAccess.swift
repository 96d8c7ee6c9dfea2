import ArgumentParser
import Bytes
import Upstream

/// The API key of a command that asks a running server.
struct ServerAccess: ParsableArguments {
  @Option(
    name: .customLong("key-file"),
    help: ArgumentHelp(
      "A file with one of the server's API keys, where it has some.", valueName: "file"))
  var path: String?

  /// The key in the file, blanks around it left out; nil where none is named.
  ///
  /// - Throws: `ValidationError` when the file has none.
  func key() throws -> Secret? {
    guard let path else { return nil }
    guard let bytes = try? FileContents.read(path, bytesMax: 4 * Secret.tokenLength.upperBound),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw ValidationError("--key-file: \(path) cannot be read as UTF-8") }
    let words = text.split(whereSeparator: \.isWhitespace)
    let length = Secret.tokenLength
    guard words.count == 1, let key = Secret(String(words[0]), length: length) else {
      throw ValidationError(
        "--key-file: \(path) has no key of 1 to \(length.upperBound) visible ASCII characters")
    }
    return key
  }
}
