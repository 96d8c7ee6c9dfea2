import Feed
import Testing

@testable import Upstream

@Suite struct BodyBufferTests {
  /// What is announced is only what there is room for: another length changes nothing.
  @Test(arguments: [0, 1, 4, 5, 100, -1, .max, .min])
  func takesWhatComesWhateverWasAnnounced(announcedBytes: Int) throws {
    var plain = BodyBuffer(coding: nil, announcedBytes: announcedBytes, limitBytes: 10)
    for piece in ["he", "", "llo"] {
      let count = try Array(piece.utf8).withUnsafeBytes { bytes throws(FetchError) in
        try plain.append(bytes)
      }
      #expect(count == piece.utf8.count)
    }
    #expect(try plain.finish() == Array("hello".utf8))
  }

  /// What it tells is what the body has become by it, and not what was sent.
  @Test func tellsHowMuchItInflated() throws {
    let text = String(repeating: "0123456789", count: 10_000)
    let sent = GzipBytes.stored(text)
    var body = BodyBuffer(coding: "gzip", announcedBytes: sent.count, limitBytes: 1 << 20)
    var count = 0
    for byte in sent {
      count += try [byte].withUnsafeBytes { bytes throws(FetchError) in try body.append(bytes) }
    }
    #expect(count == text.utf8.count)
    #expect(try body.finish() == Array(text.utf8))
  }

  @Test(arguments: [nil, "gzip"])
  func boundsWhatComesAndNotWhatWasAnnounced(coding: String?) throws {
    let text = String(repeating: "a", count: 100)
    let sent = coding == nil ? Array(text.utf8) : GzipBytes.stored(text)
    for limit in [sent.count - 1, sent.count] {
      var body = BodyBuffer(coding: coding, announcedBytes: 1 << 40, limitBytes: limit)
      let isTaken = sent.withUnsafeBytes { bytes in (try? body.append(bytes)) != nil }
      #expect(isTaken == (limit == sent.count))
    }
  }
}
