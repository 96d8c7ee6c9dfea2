import Foundation
import JSONBytes
import Support
import Testing

@testable import Simulator

@Suite struct RecordingTests {
  /// Two elements as a recording has them, with odd white space and an unknown key.
  private static let file = Array(
    #"""
    [ {"id":"aaaaaaaaaaaaaaaaaaaa","created_at":"2025-12-09T14:21:53+09:00", "new_key" : [1,2],
       "updated_at":"2025-12-09T14:21:53+09:00","title":"\u003cA\u003e","user":{"id":"me"},
       "tags":[{"name":"Swift","versions":[]}]},
      {"id":"bbbbbbbbbbbbbbbbbbbb","created_at":"2025-12-09T05:21:54Z","title":"B","tags":[],
       "updated_at":"2025-12-09T05:21:54Z","user":{"id":"you"}} ]
    """#.utf8)

  @Test func servesTheVeryBytesNewestFirst() throws {
    var qiita = Qiita(World(recording: try Recording(files: [Self.file, Self.file])))
    let answer = qiita.answer("items")
    let recorded = try JSON.elements(of: Self.file).map { Array(Self.file[$0]) }
    #expect(try answer.elements() == recorded.reversed())
    #expect(answer.field("total-count") == "2")
    #expect(qiita.answer("items/aaaaaaaaaaaaaaaaaaaa").body == recorded[0])
  }

  @Test func findsRecordedItemsByUserTagAndTitle() throws {
    var qiita = Qiita(World(recording: try Recording(files: [Self.file])))
    #expect(try qiita.ids("users/me/items") == ["aaaaaaaaaaaaaaaaaaaa"])
    #expect(try qiita.ids("tags/swift/items") == ["aaaaaaaaaaaaaaaaaaaa"])
    #expect(try qiita.ids("items?query=%3Ca%3E") == ["aaaaaaaaaaaaaaaaaaaa"])
    #expect(qiita.answer("users/me").text == #"{"id":"me"}"#)
  }

  @Test func driftsAroundRecordedItems() throws {
    var world = World(recording: try Recording(files: [Self.file]))
    world.insert(at: noon)
    world.delete(id: "bbbbbbbbbbbbbbbbbbbb")
    #expect(world.touch(id: "aaaaaaaaaaaaaaaaaaaa") == false)
    var qiita = Qiita(world)
    #expect(try qiita.ids("items") == world.ids)
    #expect(world.ids.last == "aaaaaaaaaaaaaaaaaaaa")
  }

  @Test(arguments: [
    ("{}", Recording.Failure.notAnArray(file: 0, .notAnArray)),
    ("[{}]", .notAnItem(file: 0, element: 0)),
    (#"[{"id":"short"}]"#, .notAnItem(file: 0, element: 0)),
    ("[1]", .notAnItem(file: 0, element: 0)),
  ])
  func refusesWhatIsNoRecording(file: String, failure: Recording.Failure) {
    #expect(throws: failure) { try Recording(files: [Array(file.utf8)]) }
  }

  @Test func servesAnEmptyRecording() throws {
    var qiita = Qiita(World(recording: try Recording(files: [Array("[]".utf8)])))
    #expect(qiita.answer("items").text == "[]")
    qiita.world.insert(at: noon)
    #expect(try qiita.ids("items").count == 1)
  }

  @Test(.enabled(if: !Checkout.recordedAnswers.isEmpty, "the recordings are not here"))
  func servesEveryRecordingUnchanged() throws {
    let files = try Checkout.recordedAnswers.map { try [UInt8](Data(contentsOf: $0)) }
    var recorded: Set<[UInt8]> = []
    for file in files {
      for range in try JSON.elements(of: file) { recorded.insert(Array(file[range])) }
    }
    var qiita = Qiita(World(recording: try Recording(files: files)))
    var served: [[UInt8]] = []
    var seconds: [Int64] = []
    for page in 1...9 {
      let answer = qiita.answer("items?page=\(page)")
      served += try answer.elements()
      seconds += try answer.texts("created_at").compactMap { CivilTime.seconds($0) }
    }
    #expect(seconds == seconds.sorted(by: >))
    #expect(served.count == qiita.world.itemCount)
    #expect(recorded.isSuperset(of: served))
    #expect(Set(served).count == served.count)
  }
}
