import Bytes

/// The window a call asks for, and the links around it.
struct Paging: Hashable {
  /// The last page and the largest size that are answered.
  static let pageMax = 100
  static let perPageMax = 100
  static let perPageDefault = 20

  let page: Int
  let perPage: Int

  /// Reads `page` and `per_page`; nil when one is no whole number of 1 to 100.
  init?(_ call: Call) {
    guard let page = Self.number(call.parameter("page"), default: 1, max: Self.pageMax),
      let perPage = Self.number(
        call.parameter("per_page"), default: Self.perPageDefault, max: Self.perPageMax)
    else { return nil }
    self.page = page
    self.perPage = perPage
  }

  /// The rank of the first element.
  var offset: Int {
    (page - 1) * perPage
  }

  /// The `Link` field (RFC 8288): first and last always, prev and next where there is such a page.
  ///
  /// The total alone gives the last page and the next one: both may lie past the
  /// hundredth, which is refused. 45 elements by 20 have the last page 3; so has an empty list 1.
  func link(total: Int, call: Call) -> String {
    let last = max(1, (total + perPage - 1) / perPage)
    var links = [("first", 1)]
    if page > 1 { links.append(("prev", page - 1)) }
    if page < last { links.append(("next", page + 1)) }
    links.append(("last", last))
    return links.map { "<\(Self.url(call, page: $1))>; rel=\"\($0)\"" }.joined(separator: ", ")
  }

  /// The caller's own URL with another page: its parameters stay, `page` comes first where it was
  /// not given.
  private static func url(_ call: Call, page: Int) -> String {
    var parameters = call.parameters
    if let place = parameters.firstIndex(where: { $0.name == "page" }) {
      parameters[place].value = String(page)
    } else {
      parameters.insert(("page", String(page)), at: 0)
    }
    let query = parameters.map {
      "\(percentEncoded(Array($0.name.utf8)))=\(percentEncoded(Array($0.value.utf8)))"
    }
    return "\(call.origin)\(call.path)?\(query.joined(separator: "&"))"
  }

  private static func number(_ text: String?, default: Int, max: Int) -> Int? {
    guard let text else { return `default` }
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(text),
      1...max ~= number
    else { return nil }
    return number
  }
}
