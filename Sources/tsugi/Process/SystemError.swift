import Glibc

/// The system's text for an error number.
enum SystemError {
  /// `No such file or directory` for 2.
  static func text(_ number: Int32) -> String {
    String(cString: strerror(number))
  }
}
