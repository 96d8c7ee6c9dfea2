import ArgumentParser
import Bytes
import Upstream

/// A file with one secret in it, as an option names it.
enum SecretFile {
  /// The secret, blanks around it left out.
  ///
  /// - Throws: `ValidationError`, which names the option, when the file has none.
  static func read(_ path: String, option: String) throws -> Secret {
    let bytes: [UInt8]
    do throws(CommandError) {
      bytes = try FileContents.read(path, bytesMax: 4 * Secret.tokenLength.upperBound)
    } catch {
      throw ValidationError("\(option): \(error)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ValidationError("\(option): \(path) cannot be read as UTF-8")
    }
    let words = text.split(whereSeparator: \.isWhitespace)
    let length = Secret.tokenLength
    guard words.count == 1, let key = Secret(String(words[0]), length: length) else {
      throw ValidationError(
        "\(option): \(path) has no key of 1 to \(length.upperBound) visible ASCII characters")
    }
    return key
  }
}
