import Feed

/// One loop's cut items: what `fields` leaves of items that were read before.
///
/// An item has tens of kilobytes, of which a list on a phone shows some hundred bytes. Slices that
/// begin elsewhere show the same items, and then only the places of those are read. They are good
/// while the source's version stands; whatever is written to the source drops them.
final class CutItems {
  /// What one loop keeps at most, in bytes; one item more and it begins anew.
  static let bytesMax = 4 << 20
  /// What an item takes besides its own bytes, about.
  static let placeBytes = 64
  /// In how many ways its items are cut at most; one more and it begins anew.
  static let tablesMax = 64

  private struct Key: Hashable {
    var source: String
    var fields: FieldSelection
  }

  private var tables: [Key: Table] = [:]
  /// What is kept, in bytes, a little for the place of each item among them.
  private(set) var bytes = 0

  /// How many ways of cutting are known.
  var tableCount: Int { tables.count }

  /// What cuts a source's items to some fields, for the reading of one slice. `version` is the
  /// source's, taken before it.
  func table(
    of source: String, cutTo fields: FieldSelection, version: UInt64
  ) -> any ContentShape {
    let key = Key(source: source, fields: fields)
    if tables[key] == nil, tables.count >= CutItems.tablesMax { clear() }
    let table = tables[key] ?? Table(fields, of: self)
    tables[key] = table
    bytes -= table.begin(version)
    return table
  }

  private func clear() {
    for table in tables.values { table.drop() }
    tables = [:]
    bytes = 0
  }

  /// Counts what a table is to keep more, and says whether it may.
  private func admits(_ count: Int) -> Bool {
    guard bytes + count <= CutItems.bytesMax else {
      clear()
      return false
    }
    bytes += count
    return true
  }

  /// A source's items, all cut alike.
  private final class Table: ContentShape {
    private let fields: FieldSelection
    private unowned let owner: CutItems
    private var version: UInt64 = 0
    @exclusivity(unchecked) private var items: [Int64: ShapedContent] = [:]
    private var bytes = 0
    /// Bytes of content that were cut for the present slice.
    private var cutBytes = 0
    private var isDropped = false

    init(_ fields: FieldSelection, of owner: CutItems) {
      self.fields = fields
      self.owner = owner
    }

    /// Makes ready for another slice; gives the bytes that are kept no longer.
    func begin(_ version: UInt64) -> Int {
      cutBytes = 0
      guard version != self.version else { return 0 }
      self.version = version
      items.removeAll(keepingCapacity: true)
      defer { bytes = 0 }
      return bytes
    }

    /// Keeps nothing from now on: the slice being read may still use it.
    func drop() {
      items = [:]
      isDropped = true
    }

    func known(of item: Int64) -> ShapedContent? { items[item] }

    func shaped(_ content: [UInt8], of item: Int64) -> ShapedContent? {
      // The loop has other clients too: the rest is cut beside it.
      cutBytes += content.count
      guard cutBytes <= Gateway.bytesCutOnLoopMax else { return nil }
      let cut = fields.shaped(content)
      let count = cut.bytes.count + CutItems.placeBytes
      if !isDropped, owner.admits(count) {
        items[item] = cut
        bytes += count
      }
      return cut
    }
  }
}
