import Support
import Testing

@testable import Settings

/// The reference pages name every key there is.
@Suite struct ConfigurationPageTests {
  private static let pages: [(path: String, keys: [String])] = [
    ("Settings/Settings.docc/Configuration.md", Configuration.keys),
    ("Settings/Settings.docc/RawRoute.md", Configuration.rawKeys.map { String($0.dropFirst(4)) }),
    ("Settings/Settings.docc/Recipes.md", Configuration.recipeKeys),
    ("Wire/Wire.docc/MergedFeeds.md", Configuration.mergedKeys),
  ]

  @Test(arguments: pages)
  func namesEveryKey(path: String, keys: [String]) throws {
    let page = try Checkout.text(of: "Sources/" + path)
    #expect(!keys.isEmpty)
    for key in keys where !page.contains("\n| `\(key)` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }
}
