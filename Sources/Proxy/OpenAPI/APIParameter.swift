import Feed
import HTTP

/// A parameter of an operation in `/openapi.json`.
enum APIParameter: Hashable, ExpressibleByStringLiteral {
  /// One of the document's components, by its name there.
  case component(String)
  /// A variable part of the path.
  case variable(String)
  /// A parameter that only this feed takes.
  case own(String)

  init(stringLiteral name: String) { self = .component(name) }

  /// What makes a feed's name complete.
  static func naming(_ pattern: FeedPattern) -> [APIParameter] {
    variables(of: pattern) + pattern.parameters.map { $0 == "query" ? "query" : .own($0) }
  }

  /// The variable parts of a feed's path.
  static func variables(of pattern: FeedPattern) -> [APIParameter] {
    pattern.words.filter { $0.hasPrefix(":") }.map { word in
      word == ":id" ? "id" : .variable(String(word.dropFirst()))
    }
  }

  /// It as JSON.
  var json: String {
    switch self {
    case .component(let name):
      ##"{"$ref":"#/components/parameters/\##(name)"}"##
    case .variable(let name):
      """
      {"name":"\(name)","in":"path","required":true,
      "schema":{"type":"string","minLength":1,"maxLength":\(PathParts.partBytesMax)}}
      """
    case .own(let name):
      """
      {"name":"\(name)","in":"query",
      "schema":{"type":"string","minLength":1,"maxLength":\(SliceQuery.queryBytesMax)}}
      """
    }
  }
}
