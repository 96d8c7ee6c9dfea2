import Glibc

/// Standard output or standard error, written without a buffer.
struct StandardStream: Sendable {
  /// Where results go.
  static let output = StandardStream(descriptor: STDOUT_FILENO)
  /// Where everything goes that is not a result.
  static let error = StandardStream(descriptor: STDERR_FILENO)

  let descriptor: Int32

  /// Opens `/dev/null` for each standard stream that the process was started without. Else the
  /// first socket or file that is opened takes its number, and log lines are written into that.
  static func openMissing() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is given, which is this one; where not, nothing can be done.
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Whether a person looks at it.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// What became of a write.
  enum Outcome: Equatable {
    case written
    /// The reader has gone.
    case readerGone
    case failed(errno: Int32)

    /// Throws `.unwritable` where it failed; that the reader has gone is no failure.
    func check() throws(CommandError) {
      guard case .failed(let number) = self else { return }
      throw .unwritable(reason: SystemError.text(number))
    }
  }

  /// Writes all bytes, in one call unless the system takes fewer; blocks until it has them.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Outcome {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EPIPE {
          return .readerGone
        } else if errno != EINTR {
          return .failed(errno: errno)
        }
      }
      return .written
    }
  }

  /// Writes a line of text.
  @discardableResult
  func writeLine(_ text: String) -> Outcome {
    write(Array(text.utf8) + [UInt8(ascii: "\n")])
  }
}
