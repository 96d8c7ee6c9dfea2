import Feed
import Freshness
import Support
import Testing

@testable import Upstream

/// Any number may stand in any field of an element, as a number and as a text.
@Suite struct ExtremeElementsTests {
  private static let fields = ["id", "key", "updated"]

  private func reader(_ form: KeyForm, _ unit: KeyUnit) -> ElementReader {
    var list = ListRecipe(path: "items")
    list.time = form
    list.order = .falling(FieldPath(key: "key"))
    list.updated = FieldPath(key: "updated")
    return ElementReader(list, key: FieldPath(key: "key"), unit: unit)
  }

  @Test(arguments: KeyForm.allCases, KeyUnit.allCases)
  func anElementIsReadOrRefused(form: KeyForm, unit: KeyUnit) {
    let reader = reader(form, unit)
    for field in Self.fields {
      for number in Extremes.texts.flatMap({ [$0, "\"\($0)\""] }) {
        var values = ["id": "1", "key": "\"2025-12-09T14:21:53Z\"", "updated": "1"]
        if form != .rfc3339, form != .utc { values["key"] = "1" }
        values[field] = number
        let members = values.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        guard let item = try? reader.item(in: Array("{\(members)}".utf8)[...]) else { continue }
        for key in [item.key, item.updatedAt].compactMap(\.self) {
          #expect(KeyUnit.keys.contains(key), "\(number) as \(field)")
          // What is computed of it later.
          _ = unit.second(of: key).map { unit.keys(in: $0) }
          _ = form.text(of: key)
        }
      }
    }
  }

  /// What is no time and no number stands for itself, below all times; `null` says nothing.
  @Test(arguments: KeyForm.allCases, KeyUnit.allCases)
  func anotherValueIsAnotherState(form: KeyForm, unit: KeyUnit) throws {
    let key = form == .rfc3339 || form == .utc ? "\"2025-12-09T14:21:53Z\"" : "1"
    let states = try ["\"v1\"", "\"v2\"", "\"9f86d081\"", "true", "false", "\"\""].map { value in
      let element = Array(#"{"id":"a","key":\#(key),"updated":\#(value)}"#.utf8)
      return try #require(try reader(form, unit).item(in: element[...]).updatedAt)
    }
    #expect(Set(states).count == states.count)
    #expect(states.allSatisfy { KeyUnit.keys.contains($0) && $0 < -1_000_000_000_000_000 })
    for value in ["null", "[1]", "{}"] {
      let element = Array(#"{"id":"a","key":\#(key),"updated":\#(value)}"#.utf8)
      #expect(try reader(form, unit).item(in: element[...]).updatedAt == nil)
    }
  }

  @Test(arguments: ["9223372036854775808", "-9223372036854775809", "4611686018427387904000"])
  func aKeyBeyondTheRangeIsRefusedByName(number: String) {
    for text in [number, "\"\(number)\""] {
      let element = Array(#"{"id":1,"key":\#(text)}"#.utf8)
      #expect(throws: ElementFault.undated) { try reader(.number, .number).item(in: element[...]) }
    }
  }

  @Test(arguments: PastRecipe.Grain.allCases, KeyUnit.allCases)
  func whatIsNotNewerThanAnyKeyCanBeAskedFor(grain: PastRecipe.Grain, unit: KeyUnit) {
    for zone in [-12, 0, 14] {
      var past = PastRecipe()
      (past.grain, past.zone) = (grain, zone)
      for key in Extremes.integers {
        #expect(past.grain(in: unit).last(of: key) >= key || key > .max - 90_000_000)
        for form in KeyForm.allCases { #expect(!past.text(of: key, in: unit, form: form).isEmpty) }
      }
    }
  }

  /// Counts at the places that a recipe names.
  @Test(arguments: Extremes.texts) func aTotalIsACountOrNone(_ number: String) {
    for text in [number, "\"\(number)\""] {
      let body = Array("{\"total\":\(text),\"items\":[]}".utf8)
      let answer = AnswerReader(body: body, fields: FieldList())
      let total = AnswerPlace("total").flatMap(answer.count)
      #expect(total.map { (0..<1_000_000_000_000).contains($0) } ?? true)
    }
  }
}
