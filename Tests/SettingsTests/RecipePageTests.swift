import Foundation
import Support
import Testing

@testable import Settings

/// The examples of the pages about recipes are configurations.
struct RecipePageTests {
  @Test(arguments: ["BringYourOwnAPI", "Recipes"])
  func showsOnlyConfigurationsThatAreTaken(page: String) throws {
    let text = try Checkout.text(of: "Sources/Settings/Settings.docc/\(page).md")
    let examples = text.components(separatedBy: "```json\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
    #expect(!examples.isEmpty)
    for example in examples {
      #expect(
        problems(example, ["TSUGI_KEY": "0123456789abcdef0123456789abcdef"]) == [], "\(example)")
    }
  }
}
