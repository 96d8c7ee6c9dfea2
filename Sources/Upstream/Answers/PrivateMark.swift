private import JSONBytes

/// Tells what only the token's owner may see: an item that says `"private":true`.
///
/// Qiita shows it to whoever asks with the owner's token, and it is asked with that for everyone.
/// So it is taken in the owner's own feeds and nowhere else.
enum PrivateMark {
  /// Whether a valid element says so.
  static func stands(in element: ArraySlice<UInt8>) -> Bool {
    do throws(JSONError) {
      guard let range = try JSON.member("private", of: element) else { return false }
      return element[range].elementsEqual("true".utf8)
    } catch {
      // Not an object: then it says nothing.
      return false
    }
  }
}
