import FoundationEssentials
import FuzzTargets

/// The program where libFuzzer, which brings a `main` of its own, is not linked: `Fuzz TARGET
/// FILE…` gives the files to a target, as to look at a finding in a debugger.
@_cdecl("Fuzz_main")
func replay(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  #if DEBUG
    let words = (1..<max(1, Int(count))).compactMap { arguments[$0].map { String(cString: $0) } }
    guard let name = words.first, let target = FuzzTarget(rawValue: name) else {
      print(
        "Fuzz TARGET FILE…, targets:", FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
      return 64
    }
    for path in words.dropFirst() {
      guard let bytes = FileManager.default.contents(atPath: path) else {
        print("\(path) cannot be read")
        return 1
      }
      print(path, target.fault(in: Array(bytes)) ?? "as it shall be")
    }
    return 0
  #else
    print("targets are in debug builds only")
    return 64
  #endif
}
