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
    try path.map { try SecretFile.read($0, option: "--key-file") }
  }
}
