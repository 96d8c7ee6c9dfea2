/// How a running server stands, as `status` prints it.
struct ServerStatus: Equatable {
  /// A stored feed.
  struct Feed: Equatable {
    /// `qiita/items`.
    var name: String
    var items: Int
    var gaps: Int
    /// When its top was last looked at upstream; nil where it never was.
    var checkedAt: String?
  }

  /// A budget of upstream calls.
  struct Source: Equatable {
    /// The source, and the budget's name where it is not the only one: `github search`.
    var name: String
    /// Calls left.
    var left: Int
    /// Upstream calls since the server started, and those of them that failed; nil for a budget
    /// besides the first, whose calls are counted there.
    var calls: Int?
    var failed: Int?
  }

  var feeds: [Feed] = []
  var sources: [Source] = []
  /// Live servers on the same store.
  var servers = 1
  /// Bytes stored.
  var bytes = 0

  /// Two tables and a line.
  var text: String {
    let none = "-"
    let feedRows = feeds.map { ["\($0.items)", "\($0.gaps)", $0.checkedAt ?? none, $0.name] }
    let sourceRows = sources.map { source in
      [
        "\(source.left)", source.calls.map(String.init) ?? none,
        source.failed.map(String.init) ?? none, source.name,
      ]
    }
    return Self.table(["ITEMS", "GAPS", "CHECKED", "FEED"], feedRows) + "\n"
      + Self.table(["LEFT", "CALLS", "FAILED", "BUDGET"], sourceRows) + "\n"
      + "\(servers) server\(servers == 1 ? "" : "s"), \(bytes >> 20) MB stored\n"
  }

  /// Columns as wide as their widest cell; the last, which may be of any width, is left as it is.
  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    let all = [head] + rows
    let widths = head.indices.map { index in all.map { $0[index].count }.max() ?? 0 }
    return all.map { row in
      row.indices.map { index in
        let pad = index == row.count - 1 ? 0 : widths[index] - row[index].count
        return row[index] + String(repeating: " ", count: pad)
      }.joined(separator: "  ") + "\n"
    }.joined()
  }
}
