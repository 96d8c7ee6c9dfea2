import Bytes
import Settings

#if DEBUG
  import Feed
  import JSONBytes
  import Support
  @testable import Proxy

  private let feed = FeedID(
    source: "qiita", pattern: FeedPattern("items", order: .value, takesQuery: true),
    parts: [Array("items".utf8)])

  /// A path that is taken comes back from its encoding, and a query is judged without harm.
  func targetFault(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    if let path = try? PathParts("/" + halves[0]) {
      let encoded = path.parts.map { "/" + percentEncoded($0) }.joined()
      guard (try? PathParts(encoded))?.parts == path.parts else { return "the path is another" }
      guard path.parts.allSatisfy({ !$0.isEmpty && $0 != [0x2E] && $0 != [0x2E, 0x2E] }) else {
        return "a part that goes elsewhere"
      }
    }
    guard let query = halves.dropFirst().first, let items = try? QueryItems(String(query)) else {
      return nil
    }
    let encoded = items.items.map {
      "\(percentEncoded(Array($0.name.utf8)))=\(percentEncoded($0.value))"
    }
    guard let again = try? QueryItems(encoded.joined(separator: "&")),
      again.items.map(\.value) == items.items.map(\.value),
      again.items.map(\.name) == items.items.map(\.name)
    else { return "the query is another" }
    guard let slice = try? SliceQuery(items, feed: feed, waitDefault: .seconds(5)) else {
      return nil
    }
    guard (1...SliceRequest.limitMax).contains(slice.request.limit) else { return "the limit" }
    guard (.zero...SliceRequest.waitMax).contains(slice.request.wait) else { return "the wait" }
    return nil
  }

  /// The first line says to which fields the rest is cut: what is valid stays valid, nothing is
  /// added, and cut once more it is the same.
  func cutFault(_ bytes: [UInt8]) -> String? {
    let names = bytes.prefix { $0 != 0x0A }
    let value = Array(bytes.dropFirst(names.count + 1))
    // A query is UTF-8 before it is anything else.
    guard String(validating: names, as: UTF8.self) != nil,
      let selection = try? FieldSelection(Array(names))
    else { return nil }
    guard let text = PercentCoding.decoded(selection.text.utf8),
      (try? FieldSelection(text)) == selection
    else { return "the fields of a link are others" }
    let isValid = JSON.isValid(value[...])
    var tree = FieldTree()
    for path in names.split(separator: 0x2C) {
      tree.keep(path.split(separator: 0x2E).map { Array($0) })
    }
    var cut: [UInt8] = []
    do throws(JSONError) {
      try JSON.cut(value[...], to: tree, into: &cut)
    } catch {
      return isValid ? "a valid value is refused: \(error)" : nil
    }
    guard cut.count <= value.count else { return "more is left than there was" }
    guard isValid else { return nil }
    guard cut.isEmpty || JSON.isValid(cut[...]) else { return "what is left is not valid" }
    guard cut.isEmpty || selection.cut(selection.cut(value)) == selection.cut(value) else {
      return "cut once more it is another"
    }
    return nil
  }

  private func percentEncoded(_ bytes: [UInt8]) -> String {
    bytes.map { "%" + String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
  }

  /// A file is read or refused, with words.
  func configurationFault(_ bytes: [UInt8]) -> String? {
    let environment = ["A": "text", "N": "7", "TSUGI_SERVER_PORT": "81", "E": ""]
    do throws(Configuration.Problems) {
      let read = try Configuration.read(bytes, environment: environment, baseDirectory: "/etc")
      guard JSON.isValid(Array(read.resolved().utf8)[...]) else {
        return "what it shows is no JSON"
      }
      guard (1...65_535).contains(read.server.port) || read.server.port == 0 else { return "port" }
    } catch {
      guard !error.all.isEmpty, !error.description.isEmpty else { return "no reason" }
    }
    return nil
  }
#endif
