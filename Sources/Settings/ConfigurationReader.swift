import Bytes
import JSONBytes

/// Reads one configuration and collects all problems, not only the first.
struct ConfigurationReader {
  var problems: [Configuration.Problem] = []
  var warnings: [Configuration.Problem] = []
  var variables: ConfigurationVariables

  init(_ variables: ConfigurationVariables) {
    self.variables = variables
  }

  /// Reads the file called `name`, where it has a name.
  mutating func readFile(
    _ json: [UInt8], named name: String?, into configuration: inout Configuration
  ) {
    guard json.count <= Configuration.bytesMax else {
      add("file", "must be at most \(Configuration.bytesMax) bytes")
      return
    }
    let file: JSONTree
    do {
      file = try JSONTree(json: json)
    } catch {
      problems.append(Configuration.Problem(error, in: json, named: name))
      return
    }
    var sources = JSONTree.object([.init("qiita", .object([]))])
    for section in members(of: file, at: "", allowed: Configuration.sections) {
      switch section.name {
      case "server": fill(&configuration.server, Configuration.serverFields, section)
      case "store": fill(&configuration.store, Configuration.storeFields, section)
      case "upstream": fill(&configuration.upstream, Configuration.upstreamFields, section)
      default: sources = section.value
      }
    }
    configuration.sources = read(sources)
  }

  private mutating func fill<Section>(
    _ section: inout Section, _ fields: [ConfigurationField<Section>],
    _ member: JSONTree.Member
  ) {
    let inner = members(of: member.value, at: member.name, allowed: fields.map(\.name))
    set(inner, of: &section, fields, at: member.name)
  }

  /// Sets what the members say; those that no field has the name of were looked at before.
  mutating func set<Section>(
    _ members: [JSONTree.Member], of section: inout Section,
    _ fields: [ConfigurationField<Section>], at place: String
  ) {
    for member in members {
      guard let field = fields.first(where: { $0.name == member.name }) else { continue }
      let place = "\(place).\(member.name)"
      let expanded = variables.expand(
        member.value, at: place, allowsUnset: field.allowsUnsetVariable, &problems)
      guard let expanded else { continue }
      field.set(&section, expanded, place, &problems)
    }
  }

  /// The members of an object, each key once; what is no object or no key is a problem.
  mutating func members(
    of value: JSONTree, at place: String, allowed: [String]? = nil
  ) -> [JSONTree.Member] {
    ConfigurationReader.members(of: value, at: place, allowed: allowed, &problems)
  }

  /// See ``members(of:at:allowed:)``.
  static func members(
    of value: JSONTree, at place: String, allowed: [String]? = nil,
    _ problems: inout [Configuration.Problem]
  ) -> [JSONTree.Member] {
    func add(_ place: String, _ message: String) {
      problems.append(Configuration.Problem(place: place, message: message))
    }
    guard let members = value.members else {
      add(place.isEmpty ? "file" : place, "must be an object")
      return []
    }
    var seen: Set<String> = []
    return members.filter { member in
      let inner = ConfigurationReader.place(member.name, in: place)
      guard seen.insert(member.name).inserted else {
        add(inner, "stands twice")
        return false
      }
      guard let allowed, !allowed.contains(member.name) else { return true }
      let question = allowed.closest(to: member.name).map { " did you mean \($0)?" } ?? ""
      add(inner, "unknown key;\(question) allowed are \(allowed.joined(separator: ", "))")
      return false
    }
  }

  mutating func add(_ place: String, _ message: String) {
    problems.append(Configuration.Problem(place: place, message: message))
  }

  mutating func warn(_ place: String, _ message: String) {
    warnings.append(Configuration.Problem(place: place, message: message))
  }

  /// The path of a key. One that is not plain is quoted, and cut after 64 characters.
  static func place(_ name: String, in place: String) -> String {
    let isPlain =
      (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isWord || $0 == UInt8(ascii: "-") }
    let shown = isPlain ? name : JSONTree.quoted(String(name.unicodeScalars.prefix(64)))
    return place.isEmpty ? shown : "\(place).\(shown)"
  }
}
