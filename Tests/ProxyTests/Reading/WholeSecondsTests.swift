import Bytes
import HTTP
import Testing

/// Lists by time whose elements show whole seconds, of APIs that compare the place that is asked
/// for in ways of their own.
@Suite struct WholeSecondsTests {
  /// How an API takes `until`.
  enum Way: CaseIterable {
    /// As an instant.
    case instants
    /// As a text, which it compares with those that it shows.
    case texts
    /// As an instant of a whole second; it refuses others.
    case wholeSeconds
    /// As an instant, of which it knows microseconds where it shows seconds.
    case microseconds
  }

  private static let count = 180

  /// The milliseconds of an element: several share a second, some of them with those of the next
  /// page.
  private static func time(_ index: Int, _ way: Way) -> Int {
    let second = 1_700_000_000 - index * 2 / 5
    return second * 1_000 + (way == .microseconds ? 900 - index % 5 * 170 : 0)
  }

  private static func text(_ time: Int) -> String {
    RFC3339.text(seconds: Int64(time / 1_000))
  }

  private static func answer(_ call: RuledUpstream.Call, _ way: Way, includes: Bool) -> Response {
    let until = call.parameters["until"]?.replacing("%3A", with: ":")
    if way == .wholeSeconds, until?.contains(".") == true {
      return Response(json: #"{"error":"no such time"}"#, status: 400)
    }
    let bound = until.flatMap { RFC3339.parseMilliseconds(Array($0.utf8)) }
    let shown = (0..<count).filter { index in
      let time = time(index, way)
      guard let until, let bound else { return true }
      let isAt = way == .texts ? text(time) == until : time == bound
      return includes && isAt || (way == .texts ? text(time) < until : time < bound)
    }
    let items = shown.prefix(call.number("size", or: 50)).map { index in
      #"{"id":"i\#(index)","at":"\#(text(time(index, way)))"}"#
    }
    return Response(json: #"{"items":[\#(items.joined(separator: ","))]}"#)
  }

  @Test(arguments: Way.allCases, [true, false])
  func allIsServed(way: Way, includes: Bool) async throws {
    let list = try await ReadList(
      feed: #""items":"items","order":"-at""#,
      pages: #""by":"time","at":"until","size":"size","max":50,"includes":\#(includes)"#
    ) { Self.answer($0, way, includes: includes) }
    #expect(Set(list.ids) == Set((0..<Self.count).map { "i\($0)" }))
    #expect(list.ids.count == Self.count && list.endReason == "end" && list.proof == "value")
    #expect(list.refusals.isEmpty && list.calls.count <= 6)
  }
}
