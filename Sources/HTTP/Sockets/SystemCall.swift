import Glibc

/// The outcome of a system call that did not fail.
enum CallOutcome {
  /// It was done; the value it returned.
  case done(Int)
  /// It would have had to wait.
  case wouldBlock
}

/// The one gate for system calls: repeats what a signal interrupted, distinguishes would-block, and
/// throws the rest as an error that names the call.
@inline(__always)
func systemCall<Result: FixedWidthInteger>(
  _ name: StaticString, _ call: () -> Result
) throws(ServerError) -> CallOutcome {
  while true {
    let result = call()
    if result >= 0 { return .done(Int(result)) }
    switch errno {
    case EINTR: continue
    case EAGAIN: return .wouldBlock
    case let code: throw .systemCall(name: "\(name)", errno: code)
    }
  }
}

/// A system call that cannot wait: its value, or an error.
@discardableResult
func plainSystemCall<Result: FixedWidthInteger>(
  _ name: StaticString, _ call: () -> Result
) throws(ServerError) -> Int {
  switch try systemCall(name, call) {
  case .done(let value): return value
  case .wouldBlock: throw .systemCall(name: "\(name)", errno: EAGAIN)
  }
}
