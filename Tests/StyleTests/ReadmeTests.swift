import Foundation
import Testing

/// The README keeps up with the code.
///
/// The configuration's keys are compared in ProxyTests, where they can be asked for.
struct ReadmeTests {
  private static let codesPath = "Sources/Wire/ProblemCode.swift"
  private static let readme = Repository.text(of: "README.md")
  private static let codes = Repository.text(of: codesPath).map(ProblemCodes.parse)

  @Test(
    .enabled(if: readme != nil && codes != nil, "README.md or \(codesPath) is not written yet"))
  func namesEveryErrorCode() throws {
    let readme = try #require(Self.readme)
    let codes = try #require(Self.codes)
    #expect(!codes.isEmpty)
    for code in codes where !readme.contains("`\(code)`") {
      Issue.record("README.md does not name `\(code)`")
    }
  }

  @Test func readsTheCodesOfAnEnumeration() {
    let text = """
      /// Why a request failed; case closed.
      enum ProblemCode: String {
        // case retired = "retired"
        case badRequest = "bad_request"
        case forbidden, unauthorized  // by name
        case itemDeleted = "item_deleted", feedNotFound = "feed_not_found"

        var status: Int {
          switch self {
          case .badRequest, .forbidden: 400
          case let other: other.rawValue.count
          }
        }
      }
      """
    #expect(
      ProblemCodes.parse(text) == [
        "bad_request", "forbidden", "unauthorized", "item_deleted", "feed_not_found",
      ])
  }
}

/// Reads the error codes from the text of their enumeration, so that no target need be built.
enum ProblemCodes {
  static func parse(_ text: String) -> [String] {
    text.split(separator: "\n").flatMap { line -> [String] in
      let code = line.prefix { $0 != "/" }.trimmingCharacters(in: .whitespaces)
      // A case of a switch has a pattern, that is a dot, a colon or a `let`.
      guard code.hasPrefix("case "), !code.contains("."), !code.hasSuffix(":"),
        !code.hasPrefix("case let ")
      else { return [] }
      return code.dropFirst("case ".count).split(separator: ",").map { entry in
        let parts = entry.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.last?.trimmingCharacters(in: ["\""]) ?? ""
      }
    }
  }
}
