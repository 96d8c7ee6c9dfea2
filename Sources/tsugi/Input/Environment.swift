// Safe because nothing in this process changes its environment.
@preconcurrency import Glibc

/// The process's environment.
enum Environment {
  /// The variables by name, as they were at the start.
  static var variables: [String: String] {
    var variables: [String: String] = [:]
    var place = __environ
    while let entry = place?.pointee {
      let pair = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      place = place?.advanced(by: 1)
    }
    return variables
  }
}
