import Feed
import JSONBytes
import Logging
import Synchronization
import Testing

@testable import tsugi

@Suite struct LineLogHandlerTests {
  @Test func writesOneObjectALine() {
    let text = logged { logger in
      logger.info("listening", metadata: ["url": "http://127.0.0.1:8080", "a": "b"])
    }
    #expect(
      text == """
        {"time":"2026-11-21T00:00:00.007Z","level":"info","label":"test","message":"listening",\
        "a":"b","url":"http://127.0.0.1:8080"}

        """)
  }

  @Test func keepsLineEndsInsideTexts() throws {
    let message = "a\"b\\c\nd\r\u{0}\u{1F}é次😀"
    let text = logged { $0.error("\(message)") }
    #expect(text.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
    #expect(try member("message", of: text) == message)
    #expect(JSON.isValid(Array(text.utf8)[...]))
  }

  @Test func writesWholeNumbersAndNestedValues() {
    let text = logged { logger in
      logger.info(
        "m",
        metadata: [
          "budget": .stringConvertible(57), "list": ["x", .stringConvertible(1)],
          "nested": ["k\"": "v", "b": []], "half": .stringConvertible(0.5),
        ])
    }
    let members =
      #""budget":57,"half":"0.5","list":["x",1],"nested":{"b":[],"k\"":"v"}}"#
    #expect(text.hasSuffix(members + "\n"))
  }

  @Test(arguments: [
    ("plain", "http://127.0.0.1:8080", " plain  a=http://127.0.0.1:8080"),
    ("two words", "it took too long", " two words  a=\"it took too long\""),
    ("m", "", " m  a=\"\""), ("m", "say \"次\"", #" m  a="say \"次\"""#),
    ("a\nb", "\u{1B}[2J", #" a\nb  a=\u{1B}[2J"#),
    ("m", "\u{202E}\u{9B}\u{7F}\u{2028}", #" m  a=\u{202E}\u{009B}\u{7F}\u{2028}"#),
  ])
  func writesTextThatMovesNoCursor(message: String, value: String, line: String) {
    let text = logged(as: .text) { $0.info("\(message)", metadata: ["a": "\(value)"]) }
    // Before it stands the time of day, where this machine is.
    #expect(text.prefix(8).wholeMatch(of: /[0-9:]{8}/) != nil)
    #expect(text.dropFirst(8) == line + "\n")
  }

  @Test func saysTheLevelThatIsWorthAWord() {
    let text = logged(as: .text) { $0.warning("m") }
    #expect(text.dropFirst(8) == " warning m\n")
  }

  @Test func leavesOutWhatIsLessGrave() {
    let text = logged(from: .warning) { logger in
      logger.info("less")
      logger.error("more")
    }
    #expect(text.contains("more") && !text.contains("less"))
  }

  @Test func neverWritesANameTwice() {
    let text = logged { $0.info("m", metadata: ["time": "t", "level": "l"]) }
    #expect(text.hasSuffix(#""message":"m","metadata.level":"l","metadata.time":"t"}"# + "\n"))
  }

  @Test func joinsTheMetadataOfLoggerAndEvent() {
    let text = logged { logger in
      logger[metadataKey: "a"] = "logger"
      logger[metadataKey: "b"] = "logger"
      logger.info("m", metadata: ["b": "event"])
    }
    #expect(text.hasSuffix(#""message":"m","a":"logger","b":"event"}"# + "\n"))
  }

  @Test func leavesOutWhatIsBelowItsLevel() {
    #expect(logged { $0.debug("m") }.isEmpty)
  }

  private func member(_ name: String, of text: String) throws -> String? {
    let bytes = Array(text.utf8.dropLast())
    return try JSON.member(name, of: bytes[...]).map { range in
      String(decoding: try JSON.text(bytes[range]), as: UTF8.self)
    }
  }

  /// All that `body` logs, seven milliseconds after midnight.
  private func logged(
    as format: LogFormat = .json, from level: Logger.Level = .info,
    _ body: (inout Logger) -> Void
  ) -> String {
    let written = Written()
    var logger = Logger(label: "test") { label in
      LineLogHandler(
        label: label, format: format, level: level,
        now: { Timestamp(milliseconds: 1_795_219_200_007) },
        write: { line in written.append(line) })
    }
    body(&logger)
    return written.text
  }
}

/// What a handler wrote.
private final class Written: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  func append(_ line: [UInt8]) { bytes.withLock { $0 += line } }

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}
