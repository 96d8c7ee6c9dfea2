import HTTP
import Testing

/// Pages that begin at keys, of lists in which two keys next to each other have more elements than
/// a page, and none has.
@Suite struct LargeSecondsTests {
  /// Reads 130 elements, so many of each second, in pages of 20. With `isCut` no element after the
  /// first of a second comes where that second is named; with `isPaged` what is named has pages;
  /// with `isCapped` the recipe says that 100 come, and where the total is.
  private func read(
    includes: Bool, each: Int, isCut: Bool = false, isPaged: Bool = false, isCapped: Bool = false,
    without gone: Int? = nil
  ) async throws -> (list: ReadList, numbers: [Int]) {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at","time":"seconds""#,
      pages: #""by":"time","at":"until","size":"size","#
        + (isCapped ? #""max":100,"total":"total""# : #""max":20"#)
        + (includes ? #","includes":true"# : "") + (isPaged ? #","inside":"page""# : ""), limit: 30
    ) { call in
      let until = call.number("until", or: 1_700_000_001) - (includes ? 0 : 1)
      let shown = (0..<130).filter { index in
        let isBehind = isCut && call.parameters["until"] != nil && index % each > 0
        return 1_700_000_000 - index / each <= until - (isBehind ? 1 : 0)
          && (index != gone || call.number < 2)
      }
      let size = min(20, call.number("size", or: 20))
      let page = shown.dropFirst((call.number("page", or: 1) - 1) * size).prefix(size)
      let items = page.map { #"{"id":"i\#($0)","at":\#(1_700_000_000 - $0 / each)}"# }
      return Response(json: #"{"items":[\#(items.joined(separator: ","))],"total":130}"#)
    }
    return (list, list.ids.compactMap { Int($0.dropFirst()) })
  }

  @Test(arguments: [true, false], [12, 15, 19])
  func twoThatAreLargerThanAPageAreRead(includes: Bool, each: Int) async throws {
    let (list, numbers) = try await read(includes: includes, each: each)
    #expect(numbers.sorted() == Array(0..<130) && list.endReason == "end")
    #expect(numbers.map { $0 / each } == numbers.sorted().map { $0 / each })
    let seconds = (130 + each - 1) / each
    #expect(list.refusals.isEmpty && list.calls.count <= seconds + 2, "\(list.calls.count)")
  }

  /// Where one is paged by numbers, any number of them follow one another.
  @Test(arguments: [true, false], [15, 20, 21, 24, 30, 45, 64])
  func thoseThatNoPageShowsAreCounted(includes: Bool, each: Int) async throws {
    let (list, numbers) = try await read(includes: includes, each: each, isPaged: true)
    #expect(numbers.sorted() == Array(0..<130) && list.endReason == "end")
    #expect(numbers.map { $0 / each } == numbers.sorted().map { $0 / each })
    #expect(list.refusals.isEmpty && list.gapCount == 0)
  }

  /// A total of the whole list does not tell which page of a time is the last.
  @Test(arguments: [24, 30]) func aTotalTellsNoPlace(each: Int) async throws {
    let (list, numbers) = try await read(
      includes: false, each: each, isPaged: true, isCapped: true)
    #expect(numbers.sorted() == Array(0..<130) && list.endReason == "end")
    #expect(list.refusals.isEmpty && list.total == 130)
  }

  /// One of those that were known of a second is gone when it is asked for.
  @Test func oneThatIsGoneStopsNothing() async throws {
    let (list, numbers) = try await read(includes: true, each: 15, without: 17)
    #expect(numbers.sorted() == (0..<130).filter { $0 != 17 } && list.endReason == "end")
    #expect(list.refusals.isEmpty)
  }

  /// Where the name of a second leaves out some of it, nothing is left out of the list.
  @Test func aSecondThatIsNamedInPartIsReadWhole() async throws {
    let (list, numbers) = try await read(includes: true, each: 15, isCut: true)
    #expect(numbers.sorted() == Array(0..<130) && list.endReason == "end")
    #expect(list.refusals.isEmpty)
  }
}
