/// A list's rows whenever they change, for a view that applies them itself, as a diffable data
/// source does: the present rows, then the newest. What comes faster than it is taken is one.
///
///     for await update in list.updates {
///       var snapshot = NSDiffableDataSourceSnapshot<Int, PagedRow<Article>.ID>()
///       …
///     }
///
/// It ends with its task.
public struct PagedUpdates<Item: Identifiable & Decodable & Sendable>: AsyncSequence, Sendable
where Item.ID: Sendable {
  /// What it gives.
  public typealias Element = PagedUpdate<Item>
  /// It fails never.
  public typealias Failure = Never

  let list: PagedList<Item>

  /// An iterator at the present rows.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(list: list) }

  /// Waits for the next rows.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let list: PagedList<Item>
    fileprivate var version: Int?
    fileprivate var last: PagedRows<Item>?

    /// The next rows; nil once the task is cancelled.
    public mutating func next() async -> PagedUpdate<Item>? {
      guard let (version, rows) = await list.rows(after: version) else { return nil }
      defer { (self.version, last) = (version, rows) }
      let old = Dictionary(
        last?.items.map { ($0.id, $0) } ?? [], uniquingKeysWith: { first, _ in first })
      let changed = rows.items.filter { item in
        old[item.id].map { !isSame($0, item) } ?? false
      }
      return PagedUpdate(rows: rows, changed: Set(changed.map(\.id)))
    }
  }
}

/// Rows of a list, and what changed in them.
public struct PagedUpdate<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// The items and the gaps between them.
  public var rows: PagedRows<Item>
  /// Those that stand in the update before too, with another content; of a type that is not
  /// `Equatable` all that do.
  public var changed: Set<Item.ID>
}

extension PagedList {
  /// The rows now and whenever they change.
  public var updates: PagedUpdates<Item> { PagedUpdates(list: self) }

  /// The rows, as soon as they are others than those of a version; nil once the task is cancelled.
  fileprivate func rows(after version: Int?) async -> (Int, PagedRows<Item>)? {
    await wait { [unowned self] _ in rowsVersion != version }
    return rowsVersion == version || Task.isCancelled ? nil : (rowsVersion, rows)
  }
}
