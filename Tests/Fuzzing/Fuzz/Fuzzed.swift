import FuzzTargets
import Glibc

// The two functions that libFuzzer calls; in a build without it nobody does.

#if DEBUG
  /// The target named in the environment, looked up once.
  private let target = getenv("FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

  /// Called once before all inputs.
  @_cdecl("LLVMFuzzerInitialize")
  func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
  ) -> CInt {
    precondition(target != nil, "FUZZ_TARGET names no target")
    return 0
  }

  /// Called with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let fault = target?.fault(in: bytes) { fatalError(fault) }
    return 0
  }
#endif
