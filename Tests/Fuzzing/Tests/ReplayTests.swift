import Foundation
import FuzzTargets
import Support
import Testing

/// Every input that fuzzing found worth keeping, and each finding, given to its target again.
@Suite struct ReplayTests {
  private static let fuzzing = Checkout.root.appending(path: "Tests/Fuzzing")
  private static let corpus = fuzzing.appending(path: "Corpus")

  @Test(arguments: FuzzTarget.allCases)
  func nothingIsWrongWithWhatTheCorpusMakes(_ target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    #expect(inputs.count >= 8)
    for input in inputs { check(input, target) }
  }

  /// A little of what the fuzzer does, the same in every run and with any toolchain.
  @Test(arguments: FuzzTarget.allCases)
  func nothingIsWrongWithWhatIsMadeOfTheCorpus(_ target: FuzzTarget) throws {
    let inputs = try Self.inputs(of: target)
    var mutator = Mutator(seed: 1)
    for _ in 0..<1_000 { check(mutator.input(from: inputs), target) }
  }

  private func check(_ input: [UInt8], _ target: FuzzTarget) {
    guard let fault = target.fault(in: input) else { return }
    Issue.record("\(target.rawValue): \(fault) in \(Data(input).base64EncodedString())")
  }

  private static func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
    let file = corpus.appending(path: target.rawValue)
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      Array(try #require(Data(base64Encoded: String($0))))
    }
  }

  @Test func theFuzzerKnowsEachExtremeNumber() throws {
    let file = Self.fuzzing.appending(path: "numbers.dict")
    let words = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
    #expect(words.map(String.init) == Extremes.texts.map { "\"\(Self.escaped($0))\"" })
  }

  /// A text as libFuzzer's dictionaries have it.
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      byte < 0x80 ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16).uppercased()
    }.joined()
  }

  /// What Tests/README.md tells to run knows the targets there are.
  @Test func theCommandKnowsEachTarget() throws {
    let command = Process()
    command.executableURL = Self.fuzzing.appending(path: "run")
    command.arguments = ["--list"]
    let output = Pipe()
    command.standardOutput = output
    try command.run()
    let names = String(
      decoding: try #require(try output.fileHandleForReading.readToEnd()), as: UTF8.self)
    command.waitUntilExit()
    #expect(command.terminationStatus == 0)
    #expect(
      names.split(separator: "\n").map(String.init) == FuzzTarget.allCases.map(\.rawValue).sorted())
  }
}
