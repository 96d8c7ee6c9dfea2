internal import Feed
import Freshness
private import JSONBytes

extension Page {
  /// A page from a response: its elements, and what it says of those that follow.
  ///
  /// A bad element is left out, and so is one whose identity came before in the same array, and a
  /// private one but in the owner's feeds; all still count, and the others keep their indices.
  ///
  /// - Throws: `.cut` when the array does not end, `.malformed` when there is none, or it has more
  ///   than `countMax` elements and `spare` ones.
  init(
    _ answer: AnswerReader, of list: ListRecipe, _ reader: ElementReader, countMax: Int,
    spare: Int = 0, pace: WorkPace = WorkPace {}
  ) throws(FetchError) {
    var pace = pace
    let body = answer.body
    let pages = list.pages
    let ranges = try answer.elements(of: list, countMax: countMax, spare: spare, &pace)
    let total = pages.total.flatMap(answer.count) ?? answer.rangeTotal
    var hasNext = answer.hasNext(pages)
    // Nothing shows the end but a page with only the element that it was requested by.
    if pages.mayBeShort, pages.more == nil, pages.by != .next, ranges.count > 1 { hasNext = true }
    let isWhole = list.order == .whole
    if isWhole {
      hasNext = answer.namesFurther(beside: list.items, count: ranges.count, pages)
    }
    var slots: [Slot] = []
    slots.reserveCapacity(ranges.count)
    var places: [Identity: Int] = [:]
    var faults: [ElementFault: Int] = [:]
    var omitted: [Int] = []
    for (index, range) in ranges.enumerated() {
      pace.note(bytes: range.count)
      do throws(ElementFault) {
        let item = try reader.item(in: body[range])
        if let place = places[item.id] {
          faults[.repeated, default: 0] += 1
          // Another element of one identity: readers lack it.
          if slots[place].item.bytes != item.bytes { omitted.append(index) }
          continue
        }
        places[item.id] = slots.count
        slots.append(Slot(index: index, item: item))
      } catch {
        faults[error, default: 0] += 1
        if error.isOmission { omitted.append(index) }
      }
    }
    self.init(
      items: slots, count: ranges.count, hasNext: hasNext && !isWhole, total: total,
      faults: faults)
    isEndDoubted = hasNext && isWhole
    self.omitted = omitted
    mayEndFull = pages.by == .next
    if pages.by == .next, hasNext { nextMark = answer.next(pages) }
  }
}

extension Page {
  /// The page without what it has beyond so many elements: these follow on it.
  func first(_ most: Int) -> Page {
    guard count > most else { return self }
    var page = self
    (page.count, page.hasNext) = (most, true)
    page.items.removeAll { $0.index >= most }
    page.omitted.removeAll { $0 >= most }
    return page
  }

  /// Leaves out what stands on top of it as it stands on top of the first page: pinned elements,
  /// which each page shows. Where a request says how many are asked for they come beside these;
  /// where a page has a size of its own they are counted with the others.
  mutating func leaveOut(_ top: SeenPages.Top, _ pages: PageRecipe) {
    let pinned = top.pinned(on: self)
    guard pinned > 0 else { return }
    guard !pages.saysSize, pages.by != .next else {
      return self = below([], without: items[pinned - 1].index + 1)
    }
    items.removeFirst(pinned)
    faults[.repeated, default: 0] += pinned
    if pinned == count { count = 0 }
  }

  /// Whether anything but its size says whether it is the last of its list: not a total that is
  /// smaller than what was shown, or one of which the ranks are not known that are above the page.
  func tellsItsEnd(in window: Window, _ answer: AnswerReader, _ pages: PageRecipe) -> Bool {
    let isNumbered = pages.by == .page || pages.by == .offset
    let isTotal = isNumbered ? total ?? 0 >= window.firstRank + count : total == count
    return count == 0 || isTotal || pages.more != nil
      || pages.by == .next || pages.next != .nowhere && answer.fields["Link"] != nil
  }

  /// The sizes that pages have where the request names none.
  private static let usualCounts: Set<Int> = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000]

  /// Whether it is a full first page that nothing says to be the last, of a list whose pages name
  /// the next one.
  func isSilent(in window: Window, _ answer: AnswerReader, _ pages: PageRecipe) -> Bool {
    pages.by == .next && window.isTop && !hasNext && !answer.hasPlace(pages.next)
      && (count >= window.perPage || Page.usualCounts.contains(count))
      && total != count && !answer.saysNoMore(pages)
  }
}

/// An answer's head and body, in which a recipe finds what it names.
struct AnswerReader {
  /// The body.
  let body: [UInt8]
  /// The fields of the head.
  let fields: FieldList
  /// What was asked for; empty where that is not known.
  var url = ""
  /// Whether its status alone says that nothing stands at the place that was asked for.
  var isBare = false

  /// The ranges of the elements of a list; none where the answer says that there are none.
  func elements(
    of list: ListRecipe, countMax: Int, spare: Int, _ pace: inout WorkPace
  ) throws(FetchError) -> [Range<Int>] {
    do throws(FetchError) {
      return try elements(at: list.items, countMax: countMax, spare: spare, &pace)
    } catch {
      guard saysNothing(at: list.items, list.pages) else { throw error }
      return []
    }
  }

  /// The ranges of the elements of the array at a path.
  func elements(
    at path: FieldPath, countMax: Int, spare: Int = 0, _ pace: inout WorkPace
  ) throws(FetchError) -> [Range<Int>] {
    guard !body.isEmpty else { throw .malformed(reason: "empty body") }
    do throws(JSONError) {
      var array = body[...]
      if !path.keys.isEmpty {
        guard let range = try JSON.member(at: path.keys, of: array) else {
          throw JSONError.notAnArray
        }
        array = body[range]
      }
      // To find where an element ends takes a quarter of what it takes to read it.
      return try JSON.elements(of: array, countMax: countMax + spare) {
        pace.note(bytes: $0 / 4)
      }
    } catch .notAnArray, .notAnObject {
      throw .malformed(
        reason: path.keys.isEmpty ? "not a JSON array" : "no JSON array at \(path.text)")
    } catch .truncated {
      throw .cut
    } catch .tooManyElements {
      throw .malformed(reason: "more than \(countMax) elements")
    } catch {
      throw .malformed(reason: "broken JSON array: \(error)")
    }
  }

  /// What stands at a place, as a text; nil where nothing does, or an empty text, or `null`,
  /// `false`, an array or an object.
  func text(_ place: AnswerPlace) -> String? {
    let text: String?
    switch place {
    case .nowhere: return nil
    case .field(let name): text = fields[name]
    case .link(let relation):
      text = LinkField.target(relation: relation, in: fields.texts(of: "Link"))
    case .body(let path):
      text = path.range(in: body[...]).flatMap { scalar(body[$0]) }
    }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A text, or a number or `true` as it is written; nil for any other value.
  func scalar(_ value: ArraySlice<UInt8>) -> String? {
    switch value.first {
    case UInt8(ascii: "\""):
      (try? JSON.text(value)).map { String(decoding: $0, as: UTF8.self) }
    case nil, UInt8(ascii: "n"), UInt8(ascii: "f"), UInt8(ascii: "["), UInt8(ascii: "{"): nil
    default: String(decoding: value, as: UTF8.self)
    }
  }

  /// Whether an answer has something at a place, be it `null`: a link stands there without a
  /// target as well.
  func hasPlace(_ place: AnswerPlace) -> Bool {
    switch place {
    case .nowhere: false
    case .field(let name): fields[name] != nil
    case .link(let relation):
      LinkField.target(relation: relation, in: fields.texts(of: "Link")) != nil
    case .body(let path): path.range(in: body[...]) != nil
    }
  }

  /// A whole number of elements at a place; nil where there is none, or more than any list has.
  func count(_ place: AnswerPlace) -> Int? {
    text(place).flatMap { AnswerReader.total(ofRange: $0) ?? AnswerReader.count(of: $0) }
  }

  /// A whole number of elements.
  static func count(of text: String) -> Int? {
    guard (1...FieldList.digitsMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int(text)
  }
}
