/// A place that breaks a rule of the house.
struct Offence: Equatable, CustomStringConvertible {
  /// The file, from the package's root.
  let path: String
  /// The line, from 1.
  let line: Int
  /// What is wrong there, in a few words.
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}
