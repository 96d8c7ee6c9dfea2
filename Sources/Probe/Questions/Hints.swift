import Freshness
internal import JSONBytes
internal import Upstream

/// What an API itself shows of its parameters: in its links, beside its elements, in its errors, in
/// its OpenAPI document. Names that it shows are tried before names that are common.
struct Hints {
  /// What the next page's URL asks for besides.
  let next: [Parameter]
  /// What all other URLs of this list ask for besides, and those that were given.
  let others: [Parameter]
  /// Names beside the elements, in errors and in a document, with what they say there.
  let names: [Parameter]
  /// What the URL of the second page asks for besides, whatever it is called.
  private let place: [Parameter]
  /// How many elements the first answer has.
  private let count: Int

  /// All that some answers show.
  init(_ evidence: Transcript) {
    let (first, address) = (evidence.telling, evidence.address)
    let added = { (text: String) in
      (address.parameters(ofReference: text) ?? address.parameters(ofForeign: text))
        .map(address.added) ?? []
    }
    next =
      Signs.nexts(of: first, in: address).lazy.map { added($0.value) }
      .first { !$0.isEmpty } ?? []
    let links = ["last", "first", "prev", "self"].compactMap {
      LinkField.target(relation: $0, in: first.fields.texts(of: "Link"))
    }
    let scalars = Signs.scalars(in: first.body)
    others =
      evidence.second + address.paging
      + (links + scalars.compactMap(\.value.scalar)).flatMap(added)
    // What stands further out is likelier to be of the list.
    let depths = Set(scalars.map(\.keys.count)).sorted()
    let beside = depths.flatMap { depth in
      scalars.filter { $0.keys.count == depth }.compactMap { keys, value in
        value.scalar.map { Parameter(keys.last ?? "", $0) }
      }
    }
    names = beside + evidence.answers.flatMap { Hints.names(in: $0, of: evidence) }
    place = evidence.place
    count = first.elements.count
  }

  /// Names of parameters that an OpenAPI document or an error shows.
  private static func names(in answer: Answer, of evidence: Transcript) -> [Parameter] {
    if let body = answer.body, let paths = body["paths"]?.members {
      let url = evidence.address.text([]).prefix { $0 != "?" }
      let ours = paths.filter { path in
        [path.name, "\(path.name)/"].contains { url.hasSuffix($0) || "\(url)/".hasSuffix($0) }
      }
      let path = ours.max { $0.name.utf8.count < $1.name.utf8.count }?.value
      return [path?["parameters"], path?["get"]?["parameters"]].flatMap { list in
        documented(list, in: body)
      }
    }
    guard answer.isRefusal else { return [] }
    let words = answer.words
    // Of many names those are known that a refusal does not name.
    let unnamed = answer.listsUnknown ? answer.ask.parameters.map(\.name) : []
    let named = (Names.size + Names.offset + Names.page).filter {
      words.contains($0) && !answer.ask.gives($0)
    }
    return (unnamed.filter { !words.contains($0) } + named).map { Parameter($0, "") }
  }

  /// The query's parameters of a list of an OpenAPI document, which may only refer to them.
  private static func documented(_ list: JSONTree?, in body: JSONTree) -> [Parameter] {
    guard case .array(let all)? = list else { return [] }
    return all.compactMap { parameter in
      let keys = parameter["$ref"]?.scalar?.split(separator: "/").dropFirst().map(String.init)
      let parameter = keys.flatMap { body.value(at: $0) } ?? parameter
      guard parameter["in"]?.scalar == "query" else { return nil }
      return parameter["name"]?.scalar.map { Parameter($0, "") }
    }
  }

  /// Names of the parameter that says how many elements a page has.
  var sizes: [String] {
    let shown = (next + others).filter { !place.contains($0) }.map(\.name).filter(Names.isSize)
    let beside = names.filter {
      Names.isSize($0.name) && ["", "\(count)"].contains($0.value) && $0.name != "count"
    }
    return unique(shown + beside.map(\.name))
  }

  /// Parameters that say by a number where a page begins, the surest first.
  var numbers: [NumberQuestion.Trial] {
    let isNumber = { (parameter: Parameter) in Int(parameter.value) != nil }
    let given = (next + others).filter {
      isNumber($0) && (!Names.isSize($0.name) || place == [$0])
    }
    let trials = given.flatMap { parameter -> [NumberQuestion.Trial] in
      let value = Int(parameter.value) ?? 0
      if Names.isOffset(parameter.name) { return [.init(parameter.name, isPage: false)] }
      if Names.isPage(parameter.name) { return [.init(parameter.name, isPage: true)] }
      return value > 0 && value == count
        ? [.init(parameter.name, isPage: false)]
        : value <= 2 ? [.init(parameter.name, isPage: true)] : []
    }
    let beside = names.flatMap { parameter -> [NumberQuestion.Trial] in
      if Names.isOffset(parameter.name), ["", "0"].contains(parameter.value) {
        return [.init(parameter.name, isPage: false)]
      }
      guard Names.isPage(parameter.name), !Names.isSize(parameter.name),
        ["", "0", "1"].contains(parameter.value)
      else { return [] }
      // What an answer calls its own page is often no parameter: `current_page`.
      let isName = parameter.value.isEmpty || Names.page.contains(parameter.name)
      return [.init(isName ? parameter.name : "page", isPage: true)]
    }
    return unique(trials + beside)
  }

  /// Whether the next page's URL is known to count.
  func firstPage(of name: String) -> Int? {
    next.first { $0.name == name }.flatMap { Int($0.value) }.flatMap {
      $0 == 2 ? 1 : $0 == 1 ? 0 : nil
    }
  }

  private func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
    values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
