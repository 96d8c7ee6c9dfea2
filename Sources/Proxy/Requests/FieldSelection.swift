import Bytes
import Feed
import JSONBytes
import Wire

/// The `fields` parameter, read and judged: which members of each item a client gets.
///
/// `id,title,user.profile_image_url,tags.name`: paths between commas, names between dots. Of two
/// paths where one begins with the other the wider wins; a path that stands twice counts once.
struct FieldSelection: Hashable, Sendable {
  /// The most paths.
  static let pathsMax = 32
  /// The most names of a path: how deep it goes.
  static let namesMax = 4
  /// The most bytes of the parameter, decoded.
  static let bytesMax = 2048

  /// The parameter for a link: what was asked for, each name percent-encoded.
  let text: String
  /// What is kept, the identity with it.
  private let tree: FieldTree

  /// Reads the parameter's decoded value for elements whose identity stands at one of
  /// `identityPaths`.
  init(_ value: [UInt8], identityPaths: [[String]] = [["id"]]) throws(Rejection) {
    guard value.count <= FieldSelection.bytesMax else {
      throw .fields("fields is at most \(FieldSelection.bytesMax) bytes.")
    }
    let comma = UInt8(ascii: ",")
    var paths: [[[UInt8]]] = []
    for path in value.split(separator: comma, omittingEmptySubsequences: false) {
      paths.append(try FieldSelection.names(of: path))
    }
    guard paths.count <= FieldSelection.pathsMax else {
      throw .fields("fields has at most \(FieldSelection.pathsMax) paths.")
    }
    self.init(keeping: paths, identityPaths: identityPaths)
  }

  private init(keeping paths: [[[UInt8]]], identityPaths: [[String]]) {
    text = paths.map { $0.map { percentEncoded($0) }.joined(separator: ".") }
      .joined(separator: ",")
    var tree = FieldTree()
    for path in identityPaths { tree.keep(path.map { Array($0.utf8) }) }
    for path in paths { tree.keep(path) }
    self.tree = tree
  }

  /// Nothing but what names an element.
  static func identity(at paths: [[String]]) -> FieldSelection {
    FieldSelection(keeping: [], identityPaths: paths)
  }

  private static func names(of path: ArraySlice<UInt8>) throws(Rejection) -> [[UInt8]] {
    let names = path.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard names.count <= namesMax else {
      throw .fields("A path in fields goes at most \(namesMax) names deep.")
    }
    for name in names {
      guard let first = name.first, let last = name.last else {
        throw .fields(
          "fields is names with dots inside and commas between: id,user.name; none empty.")
      }
      guard first != UInt8(ascii: " "), last != UInt8(ascii: " "),
        name.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
      else {
        throw .fields("A name in fields has no spaces around it and no control bytes.")
      }
    }
    return names.map { Array($0) }
  }

  // What is kept follows from the text and the identity; the text is most of it.
  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }

  /// What is left of an item: the same bytes for every value kept, in the item's order.
  func cut(_ item: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    do throws(JSONError) {
      try JSON.cut(item[...], to: tree, into: &kept)
    } catch {
      // Every item was validated when it came. If the disk has damaged one since, a client is
      // better served by all of it than by a part that looks whole.
      return item
    }
    return kept
  }

  /// What is left of an element, with its digest.
  func cut(_ element: Element) -> Element {
    var element = element
    element.bytes = cut(element.bytes)
    element.digest = Digest.value(of: element.bytes)
    return element
  }

  /// A slice whose items are cut.
  func cut(_ slice: Slice) -> Slice {
    guard slice.items.indices.contains(where: { slice.items[$0].digest == nil }) else {
      return slice
    }
    var slice = slice
    for index in slice.items.indices where slice.items[index].digest == nil {
      slice.items[index] = cut(slice.items[index])
    }
    return slice
  }
}

extension Rejection {
  /// A `fields` parameter that is none.
  fileprivate static func fields(_ detail: String) -> Rejection {
    Rejection(.invalidFields, detail, parameter: SliceParameter.fields.rawValue)
  }
}
