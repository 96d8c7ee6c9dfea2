/// Rows of a list that stand side by side and have one key.
public struct PagedSection<Key: Hashable & Sendable, Item: Identifiable & Sendable>: Identifiable,
  Sendable
where Item.ID: Sendable {
  /// What names a section.
  public struct ID: Hashable, Sendable {
    /// Its key.
    public var key: Key
    /// The number among the sections of its key, from 0; it stays when rows come above.
    public var number: Int
  }

  /// What names it.
  public var id: ID
  /// What its items have in common.
  public var key: Key
  /// Its rows, by their indices in the list's; a gap belongs to the section above it.
  public var rows: Slice<PagedRows<Item>>
}

/// The numbers of sections that were given, by the items at their ends.
struct SectionNumbers {
  private var byItem: [AnyHashable: (key: AnyHashable, number: Int)] = [:]

  /// Names sections, those that were named before as they were.
  mutating func name<Key: Hashable & Sendable, Item: Identifiable & Sendable>(
    _ sections: [(key: Key, rows: Range<Int>)], of rows: PagedRows<Item>
  ) -> [PagedSection<Key, Item>] where Item.ID: Sendable {
    var taken: [Key: Set<Int>] = [:]
    var numbers = [Int?](repeating: nil, count: sections.count)
    for (index, section) in sections.enumerated() where !byItem.isEmpty {
      for case .item(let item) in rows[section.rows] {
        guard let known = byItem[item.id], known.key == AnyHashable(section.key),
          taken[section.key]?.contains(known.number) != true
        else { continue }
        numbers[index] = known.number
        taken[section.key, default: []].insert(known.number)
        break
      }
    }
    byItem = [:]
    return zip(sections, numbers).map { section, known in
      let others = taken[section.key] ?? []
      let number = known ?? (0...others.count).first { !others.contains($0) } ?? others.count
      taken[section.key, default: []].insert(number)
      let items = section.rows.lazy.compactMap { row -> Item? in
        if case .item(let item) = rows[row] { item } else { nil }
      }
      for item in [items.first, items.last].compactMap(\.self) {
        byItem[item.id] = (section.key, number)
      }
      return PagedSection(
        id: PagedSection.ID(key: section.key, number: number), key: section.key,
        rows: rows[section.rows])
    }
  }
}

extension PagedList {
  /// The rows in sections: items side by side of one key. It looks at each row once.
  ///
  ///     ForEach(list.sections { Calendar.current.startOfDay(for: $0.createdAt) }) { section in … }
  public func sections<Key: Hashable & Sendable>(
    by key: (Item) -> Key
  ) -> [PagedSection<Key, Item>] {
    let rows = rows
    var sections: [(key: Key, rows: Range<Int>)] = []
    for (index, row) in rows.enumerated() {
      let last = sections.count - 1
      switch row {
      case .item(let item):
        let key = key(item)
        if last >= 0, sections[last].key == key {
          sections[last].rows = sections[last].rows.lowerBound..<index + 1
        } else {
          sections.append((key, index..<index + 1))
        }
      case .gap where last >= 0:
        sections[last].rows = sections[last].rows.lowerBound..<index + 1
      case .gap: break
      }
    }
    return sectionNumbers.name(sections, of: rows)
  }
}
