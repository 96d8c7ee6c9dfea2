import Feed

/// One loop's cache of items cut to `fields`, by their places.
///
/// An item has tens of kilobytes, of which a list on a phone shows some hundred bytes. Slices that
/// begin elsewhere show the same items, and where all of them are known nothing is read: half to
/// nine tenths more processor time a slice without it. They are good while the source's version
/// stands; whatever is written to the source drops them.
final class ProjectedItems {
  /// What one loop keeps at most, in bytes; one item more and it begins again.
  static let bytesMax = 4 << 20
  /// Items of more bytes than this are not cut on the loop: 512 KB take 0.1 ms.
  static let bytesOnLoopMax = 1 << 20
  /// What an item takes besides its identity and its bytes, about.
  static let itemBytes = 192
  /// In how many ways its items are cut at most; one more and it begins again.
  static let readersMax = 64

  private var readers: [CutReader] = []
  /// What is kept, in bytes, a little for the place of each item among them.
  private(set) var bytes = 0

  /// How many ways of cutting are known.
  var readerCount: Int { readers.count }

  /// What reads a source's items cut to some fields, for one slice, out of the store that `base`
  /// reads. `version` is the source's, taken before; `settledVersion` gives it again, or nil while
  /// something is being written.
  func reader(
    over base: any TimelineReader, of source: String, cutTo fields: FieldSelection,
    version: UInt64, settledVersion: @escaping () -> UInt64?
  ) -> CutReader {
    let reader: CutReader
    if let known = readers.first(where: { $0.source == source && $0.fields == fields }) {
      reader = known
    } else {
      if readers.count >= ProjectedItems.readersMax { clear() }
      reader = CutReader(over: base, of: source, cutTo: fields, keptBy: self)
      readers.append(reader)
    }
    bytes -= reader.begin(version, settledVersion)
    return reader
  }

  private func clear() {
    for reader in readers { reader.drop() }
    readers = []
    bytes = 0
  }

  /// Counts what a reader is to keep more, and says whether it may.
  fileprivate func admits(_ count: Int) -> Bool {
    guard bytes + count <= ProjectedItems.bytesMax else {
      clear()
      return false
    }
    bytes += count
    return true
  }
}

/// Reads one source's items, all cut to the same fields, and caches them.
final class CutReader {
  fileprivate let source: String
  fileprivate let fields: FieldSelection
  private let base: any TimelineReader
  private unowned let owner: ProjectedItems
  private var version: UInt64 = 0
  private var settledVersion: () -> UInt64? = { nil }
  @exclusivity(unchecked) private var stretches: [FeedID: RangeCache] = [:]
  private var bytes = 0
  /// Bytes of content that were cut for the present slice.
  private var cutBytes = 0
  private var isDropped = false

  fileprivate init(
    over base: any TimelineReader, of source: String, cutTo fields: FieldSelection,
    keptBy owner: ProjectedItems
  ) {
    self.base = base
    self.source = source
    self.fields = fields
    self.owner = owner
  }

  /// Makes ready for another slice; gives the bytes that are kept no longer.
  fileprivate func begin(_ version: UInt64, _ settledVersion: @escaping () -> UInt64?) -> Int {
    cutBytes = 0
    self.settledVersion = settledVersion
    guard version != self.version else { return 0 }
    self.version = version
    stretches.removeAll(keepingCapacity: true)
    defer { bytes = 0 }
    return bytes
  }

  /// Keeps nothing from now on: the slice being read may still use it.
  fileprivate func drop() {
    stretches = [:]
    isDropped = true
  }

  /// Counts what is kept more, unless that was too much: then nothing is.
  private func keep(_ count: Int) {
    if owner.admits(count) { bytes += count }
  }

  /// An element cut to the fields; as it is where the loop has cut as much as it may for one slice:
  /// it has other clients too, and the rest is cut beside it.
  private func cut(_ element: Element) -> Element {
    cutBytes += element.bytes.count
    return cutBytes <= ProjectedItems.bytesOnLoopMax ? fields.cut(element) : element
  }
}

extension CutReader: TimelineReader {
  func inOneState<Value, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try base.inOneState(body)
  }

  var epoch: String { base.epoch }

  func elements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    if isSettled, let known = stretches[feed]?.elements(below: upper, above: lower, limit: limit) {
      return known
    }
    return try noting(in: feed) { () throws(StoreError) in
      let elements = try base.elements(of: feed, below: upper, above: lower, limit: limit)
      let isWhole = elements.count < limit
      let end = isWhole ? nil : elements.last.map { Cut.below($0.position) }
      return (elements, CutRange(upper: upper, lower: end ?? lower))
    }
  }

  func lastElements(
    of feed: FeedID, below upper: Cut, above lower: Cut, limit: Int
  ) throws(StoreError) -> ArraySlice<Element> {
    if isSettled,
      let known = stretches[feed]?.lastElements(below: upper, above: lower, limit: limit)
    {
      return known
    }
    return try noting(in: feed) { () throws(StoreError) in
      let elements = try base.lastElements(of: feed, below: upper, above: lower, limit: limit)
      let isWhole = elements.count < limit
      let end = isWhole ? nil : elements.first.map { Cut.above($0.position) }
      return (elements, CutRange(upper: end ?? upper, lower: lower))
    }
  }

  func hasElement(
    of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Bool {
    if isSettled, stretches[feed]?.holdsElement(below: upper, above: lower) == true { return true }
    return try base.hasElement(of: feed, below: upper, above: lower)
  }

  func position(
    at offset: Int, of feed: FeedID, below upper: Cut, above lower: Cut
  ) throws(StoreError) -> Position? {
    try base.position(at: offset, of: feed, below: upper, above: lower)
  }

  func position(of id: Identity, in feed: FeedID) throws(StoreError) -> Position? {
    try base.position(of: id, in: feed)
  }

  func changes(
    of feed: FeedID, after number: SequenceNumber, limit: Int, learned: Bool
  ) throws(StoreError) -> ChangeReading {
    try base.changes(of: feed, after: number, limit: limit, learned: learned)
  }

  func item(_ id: Identity, realm: String) throws(StoreError) -> StoredItem? {
    try base.item(id, realm: realm)
  }

  private var isSettled: Bool { settledVersion() == version }

  /// Keeps what `read` reads and the range it is all of, unless something was written meanwhile or
  /// not all of it is cut.
  private func noting(
    in feed: FeedID, _ read: () throws(StoreError) -> (ArraySlice<Element>, CutRange)
  ) throws(StoreError) -> ArraySlice<Element> {
    let wasSettled = isSettled
    let (whole, range) = try read()
    let elements = whole.map(cut)
    guard wasSettled, isSettled, !isDropped, elements.allSatisfy({ $0.digest != nil }) else {
      return elements[...]
    }
    let added = stretches[feed, default: RangeCache()]
      .note(elements, below: range.upper, above: range.lower)
    // Those that were known already are as large as the others, about.
    let read = elements.reduce(0) {
      $0 + $1.id.bytes.count + $1.bytes.count + ProjectedItems.itemBytes
    }
    if !elements.isEmpty { keep(read * added / elements.count) }
    return elements[...]
  }
}
