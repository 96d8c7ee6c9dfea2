import Bytes
import JSONBytes
import Upstream

/// Sources, by their kind.
extension ConfigurationReader {
  mutating func read(_ sources: JSONTree) -> [String: Configuration.Source] {
    let members = members(of: sources, at: "sources")
    if members.count > Configuration.countMax {
      add("sources", "must be at most \(Configuration.countMax)")
    }
    var read: [String: Configuration.Source] = [:]
    for member in members {
      let place = ConfigurationReader.place(member.name, in: "sources")
      if !ConfigurationReader.isSourceName(member.name) {
        add(place, "a source's name is 1 to 64 of a-z, 0-9, _ and -")
      }
      read[member.name] = source(member.value, at: place)
    }
    return read
  }

  /// Whether a text may name a source, or a part of a merged one.
  static func isSourceName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (byte.isWord || byte == UInt8(ascii: "-"))
          && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      }
  }

  private mutating func source(
    _ value: JSONTree, at place: String
  ) -> Configuration.Source? {
    let named = value.members?.first { $0.name == "kind" }?.value
    if named == nil, let (key, kind) = ConfigurationReader.keyOfAnotherKind(in: value) {
      add("\(place).kind", "is missing: it is qiita then, and \(key) is a key of kind \(kind)")
      return nil
    }
    let given = named ?? .text("qiita")
    let kind = variables.expand(given, at: "\(place).kind", allowsUnset: false, &problems)
    switch kind {
    case .text("qiita"): return .qiita(qiita(value, at: place))
    case .text("file"): return .file(file(value, at: place))
    case .text("http"): return http(value, at: place).map { .http($0) }
    case .text("merged"): return .merged(merged(value, at: place))
    case nil: return nil
    default:
      add("\(place).kind", "must be qiita, http, file or merged")
      return nil
    }
  }

  /// A key that a source of kind qiita does not have, and a kind that has it; nil where there is
  /// none.
  private static func keyOfAnotherKind(in value: JSONTree) -> (key: String, kind: String)? {
    let kinds = [
      ("http", Configuration.httpKeys), ("file", Configuration.fileFields.map(\.name)),
      ("merged", Configuration.mergedFields.map(\.name)),
    ]
    let own = Configuration.qiitaFields.map(\.name)
    for member in value.members ?? [] where !own.contains(member.name) {
      for (kind, keys) in kinds where keys.contains(member.name) { return (member.name, kind) }
    }
    return nil
  }

  private mutating func qiita(
    _ value: JSONTree, at place: String
  ) -> Configuration.Source.Qiita {
    let fields = Configuration.qiitaFields
    let members = members(of: value, at: place, allowed: ["kind"] + fields.map(\.name))
    var qiita = Configuration.Source.Qiita()
    set(members, of: &qiita, fields, at: place)
    let isQiitas = qiita.baseURL.text == BaseURL.qiita.text
    if isQiitas, !members.contains(where: { $0.name == "token" }),
      variables.isSet("QIITA_TOKEN")
    {
      set([.init("token", .text("${QIITA_TOKEN}"))], of: &qiita, fields, at: place)
    }
    return qiita
  }

  private mutating func file(
    _ value: JSONTree, at place: String
  ) -> Configuration.Source.File {
    let fields = Configuration.fileFields
    let members = members(of: value, at: place, allowed: ["kind"] + fields.map(\.name))
    var file = Configuration.Source.File(path: "")
    set(members, of: &file, fields, at: place)
    if !members.contains(where: { $0.name == "path" }) {
      add("\(place).path", "is missing: a file source is read from it")
    }
    return file
  }
}
