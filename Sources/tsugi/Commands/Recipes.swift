import ArgumentParser
import Settings

/// `tsugi recipes`: what comes with the program of other APIs.
struct Recipes: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the names of the built-in recipes, or one of them.",
    discussion: """
      A recipe says how an API is asked and read. To use one: \
      {"sources": {"blog": {"kind": "http", "preset": "wordpress", \
      "baseURL": "https://example.org/wp-json/wp/v2"}}}.

      Example: tsugi recipes github
      """)

  @Argument(help: "The recipe to print.")
  var name: String?

  func validate() throws {
    if let name, Presets.text(of: name) == nil {
      throw ValidationError(
        "there is no recipe \(name); there are \(Presets.names.joined(separator: ", "))")
    }
  }

  func run() throws {
    let text = name.flatMap(Presets.text) ?? Presets.names.map { "\($0)\n" }.joined()
    try StandardStream.output.write(Array(text.utf8)).check()
  }
}
