import Support
import Testing

@testable import Settings

/// The page about the configuration names every key a configuration can have.
struct ConfigurationPageTests {
  @Test func namesEveryKey() throws {
    let path = "Sources/Settings/Settings.docc/Configuration.md"
    let page = try Checkout.text(of: path)
    #expect(!Configuration.keys.isEmpty)
    for key in Configuration.keys where !page.contains("\n| `\(key)` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }

  @Test func namesEveryKeyOfTheRawRoute() throws {
    let path = "Sources/Settings/Settings.docc/RawRoute.md"
    let page = try Checkout.text(of: path)
    #expect(!Configuration.rawKeys.isEmpty)
    for key in Configuration.rawKeys where !page.contains("\n| `\(key.dropFirst(4))` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }

  @Test func namesEveryKeyOfAMergedFeed() throws {
    let path = "Sources/Wire/Wire.docc/MergedFeeds.md"
    let page = try Checkout.text(of: path)
    #expect(!Configuration.mergedKeys.isEmpty)
    for key in Configuration.mergedKeys where !page.contains("\n| `\(key)` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }

  @Test func namesEveryKeyOfARecipe() throws {
    let path = "Sources/Settings/Settings.docc/Recipes.md"
    let page = try Checkout.text(of: path)
    #expect(!Configuration.recipeKeys.isEmpty)
    for key in Configuration.recipeKeys where !page.contains("\n| `\(key)` |") {
      Issue.record("\(path) does not name `\(key)`")
    }
  }
}
