import Foundation

/// The contents of a Markdown page's fenced blocks of a language, without a line feed at the end.
package func fencedBlocks(_ language: String, of page: String) -> [String] {
  page.components(separatedBy: "\n```\(language)\n").dropFirst().map {
    $0.components(separatedBy: "\n```")[0]
  }
}
