internal import Feed
private import JSONBytes

extension Page {
  /// A page from an answer's body, a JSON array, and its header fields.
  ///
  /// A bad element is left out, and so is one whose identity came before in the same array, and a
  /// private one but in the owner's feeds; all still count, and the others keep their indices.
  ///
  /// - Throws: `.cut` when the array does not end, `.malformed` when the body is no array, has more
  ///   than `countMax` elements, or is empty of a feed that comes whole and is said to have some.
  init(
    body: [UInt8], fields: HeaderFields, pattern: FeedPattern, countMax: Int,
    pace: WorkPace = WorkPace {}
  ) throws(FetchError) {
    var pace = pace
    let total = fields.number("Total-Count").map(Int.init)
    let hasNext = LinkField.has(relation: "next", in: fields.values(of: "Link"))
    let reader = ElementReader(pattern: pattern)
    let ranges = try elementRanges(of: body, countMax: countMax, &pace)
    if pattern.order == .whole, ranges.isEmpty, hasNext || total ?? 0 > 0 {
      throw .malformed(reason: "nothing of a feed that has elements, as the same answer says")
    }
    var slots: [Slot] = []
    slots.reserveCapacity(ranges.count)
    var seen: Set<Identity> = []
    var faults: [ElementFault: Int] = [:]
    for (index, range) in ranges.enumerated() {
      pace.note(bytes: range.count)
      do throws(ElementFault) {
        let item = try reader.item(in: body[range])
        guard pattern.isOwners || !PrivateMark.stands(in: body[range]) else { throw .hidden }
        guard seen.insert(item.id).inserted else { throw .repeated }
        slots.append(Slot(index: index, item: item))
      } catch {
        faults[error, default: 0] += 1
      }
    }
    self.init(
      items: slots, count: ranges.count, hasNext: hasNext, total: total, faults: faults)
  }
}

private func elementRanges(
  of body: [UInt8], countMax: Int, _ pace: inout WorkPace
) throws(FetchError) -> [Range<Int>] {
  guard !body.isEmpty else { throw .malformed(reason: "empty body") }
  do throws(JSONError) {
    // To find where an element ends takes a quarter of what it takes to read it.
    return try JSON.elements(of: body, countMax: countMax) { pace.note(bytes: $0 / 4) }
  } catch .notAnArray {
    throw .malformed(reason: "not a JSON array")
  } catch .truncated {
    throw .cut
  } catch .tooManyElements {
    throw .malformed(reason: "more than \(countMax) elements")
  } catch {
    throw .malformed(reason: "broken JSON array: \(error)")
  }
}
