import Foundation
import Testing

/// The README and the pages keep up with the code, stay short, and lead to each other.
///
/// The configuration's keys are compared in ProxyTests, the code and the commands where they can be
/// run: TsugiClientTests, TsugiTests and FeedTests.
struct PagesTests {
  private static let codesPath = "Sources/Wire/ProblemCode.swift"
  private static let errorsPath = "Sources/Wire/Wire.docc/Errors.md"

  /// The most bytes of the README.
  private static let readmeBytesMax = 7 * 1024
  /// The most bytes of any other page.
  private static let pageBytesMax = 12 * 1024

  @Test func nameEveryErrorCode() throws {
    let page = try #require(Repository.text(of: Self.errorsPath))
    let codes = ProblemCodes.parse(try #require(Repository.text(of: Self.codesPath)))
    #expect(!codes.isEmpty)
    for code in codes where !page.contains("| `\(code)` |") {
      Issue.record("\(Self.errorsPath) does not name `\(code)`")
    }
  }

  @Test func areShort() {
    #expect(Repository.pages.count > 10)
    for page in Repository.pages {
      let most = page.path == "README.md" ? Self.readmeBytesMax : Self.pageBytesMax
      let count = page.text.utf8.count
      #expect(count <= most, "\(page.path) has \(count) bytes, more than \(most)")
    }
  }

  /// Each link to a file of the repository leads to one, and its fragment to a heading there.
  @Test func leadToEachOther() throws {
    var count = 0
    for page in Repository.pages {
      for link in page.text.matches(of: /\]\(([^)\s#]*)(?:#([^)\s]*))?\)/) {
        let path = String(link.output.1)
        guard !path.contains("://") else { continue }
        count += 1
        let folder = URL(filePath: "/" + page.path).deletingLastPathComponent()
        let target = path.isEmpty ? page.path : folder.appending(path: path).standardized.path
        #expect(Repository.has(target), "\(page.path) links to \(path), which is not there")
        if let fragment = link.output.2 {
          #expect(
            Self.anchors(of: Repository.text(of: target) ?? "").contains(String(fragment)),
            "\(page.path) links to \(path)#\(fragment), but there is no such heading")
        }
      }
    }
    #expect(count > 20)
  }

  /// Each law of the engine names tests that are there.
  @Test func nameATestForEachLaw() throws {
    let page = try #require(Repository.text(of: "Sources/Feed/Feed.docc/Laws.md"))
    let laws = page.split(separator: "\n").filter { $0.hasPrefix("| L") }
    #expect(laws.count == 8)
    for law in laws {
      let names = (law.split(separator: "|").last ?? "").matches(of: /`(\w+)`/).map(\.output.1)
      #expect(!names.isEmpty, "no test holds: \(law)")
      for name in names {
        let isThere = Repository.sources.contains {
          $0.path.hasPrefix("Tests/") && $0.path.hasSuffix("/\(name).swift")
        }
        #expect(isThere, "there is no \(name)")
      }
    }
  }

  /// Each source file that a page names by its path is there: `Feed/Planning/Plan.swift`.
  @Test func nameFilesThatAreThere() {
    var count = 0
    for page in Repository.pages {
      for name in page.text.matches(of: /\b[A-Z]\w+(?:\/\w+)*\/[\w+]+\.swift\b/) {
        count += 1
        let path = name.output.hasPrefix("Sources/") ? "\(name.output)" : "Sources/\(name.output)"
        #expect(Repository.text(of: path) != nil, "\(page.path) names \(name.output)")
      }
    }
    #expect(count > 10)
  }

  /// Every page can be reached from the README, but the front pages of targets, which the
  /// documentation's reader opens by itself.
  @Test func canBeFoundFromTheReadme() {
    var reached: Set = ["README.md"]
    var rest = ["README.md"]
    while let path = rest.popLast() {
      guard let text = Repository.text(of: path) else { continue }
      let folder = URL(filePath: "/" + path).deletingLastPathComponent()
      let links =
        text.matches(of: /\]\(([^)\s#:]+\.md)/).map { String($0.output.1) }
        + text.matches(of: /<doc:(\w+)>/).map { "\($0.output.1).md" }
      for link in links {
        let next = String(folder.appending(path: link).standardized.path.dropFirst())
        if reached.insert(next).inserted { rest.append(next) }
      }
    }
    let unreached = Set(Repository.pages.map(\.path)).subtracting(reached).filter { path in
      let parts = path.split(separator: "/").suffix(2).map { $0.split(separator: ".")[0] }
      return parts.first != parts.last
    }
    #expect(unreached.isEmpty, "no link leads to \(unreached.sorted())")
  }

  /// The fragments that GitHub makes of a page's headings.
  private static func anchors(of page: String) -> Set<String> {
    Set(
      page.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
          .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
          .replacing(" ", with: "-")
      })
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
