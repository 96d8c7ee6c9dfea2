import Testing

@testable import HTTP

/// Answers that a handler has ready, each with a line of its own.
@Suite(.serialized) struct CachedReplyTests {
  private static let joined = EncodedAnswer.joinedBodyBytesMax
  private static let sizes = [0, 1, 4096, 4097, joined, joined + 1, 300_000]

  /// Has an answer of so many bytes ready for each path that is a size, and numbers what it gives.
  private final class Ready: Handler {
    private let answers = [String: EncodedAnswer](
      uniqueKeysWithValues: sizes.map { size in
        ("/\(size)", EncodedAnswer(Response(body: CachedReplyTests.body(size))))
      })
    private var number: Int64 = 0

    func handle(_ request: Request, _ responder: consuming Responder) {
      responder.send(Response(status: 404))
    }

    func readyAnswer(to head: PlainHead, _ own: inout PerReplyFields) -> CachedReply? {
      guard let answer = answers[String(decoding: head.target, as: UTF8.self)] else { return nil }
      number += 1
      own.append("Number: ")
      own.append(number)
      own.append("\r\n")
      return CachedReply(answer, isHead: head.isHead)
    }
  }

  private static func body(_ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(ascii: "a") + UInt8($0 % 23) }
  }

  private static func request(_ size: Int, _ method: String = "GET") -> String {
    "\(method) /\(size) HTTP/1.1\r\nHost: h\r\n\r\n"
  }

  /// Takes one answer off; gives its number, its length as it says, and its body.
  private static func take(
    _ bytes: inout ArraySlice<UInt8>, isHead: Bool
  ) throws -> (number: Int, length: Int, body: [UInt8]) {
    let end = try #require(bytes.firstRange(of: "\r\n\r\n".utf8))
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
    #expect(lines.first == "HTTP/1.1 200 OK")
    func value(_ name: String) -> String? {
      let values = lines.filter { $0.hasPrefix("\(name): ") }
      #expect(values.count == 1)
      return values.first.map { String($0.dropFirst(name.count + 2)) }
    }
    #expect(value("Date")?.hasSuffix(" GMT") == true)
    let number = try #require(value("Number").flatMap { Int($0) })
    let length = try #require(value("Content-Length").flatMap { Int($0) })
    let bodyEnd = end.upperBound + (isHead ? 0 : length)
    try #require(bodyEnd <= bytes.endIndex)
    defer { bytes = bytes[bodyEnd...] }
    return (number, length, Array(bytes[end.upperBound..<bodyEnd]))
  }

  @Test(arguments: [false, true])
  func eachIsWholeAndInItsTurn(areDescriptorsShort: Bool) async throws {
    var configuration = ServerOptions()
    configuration.limits.areShort = areDescriptorsShort
    let server = Server(configuration) { _ in Ready() }
    let address = try server.start()
    for _ in 0..<30 {
      let asked = (0..<Int.random(in: 1...6)).map { _ in
        (size: Self.sizes.randomElement() ?? 0, isHead: Int.random(in: 0..<4) == 0)
      }
      let client = try RawClient(address)
      let requests = asked.map { Self.request($0.size, $0.isHead ? "HEAD" : "GET") }
      if Bool.random() {
        try client.send(requests.joined())
      } else {
        for request in requests { try client.send(request) }
      }
      client.endSending()
      var bytes = Array(try client.receiveAll().utf8)[...]
      var last = 0
      for (size, isHead) in asked {
        let answer = try Self.take(&bytes, isHead: isHead)
        #expect(answer.length == size)
        #expect(answer.body == (isHead ? [] : Self.body(size)))
        #expect(answer.number > last)
        last = answer.number
      }
      #expect(bytes.isEmpty)
    }
    await server.stop(drain: .zero)
  }

  /// What a client has not taken yet stays as it was, though the same answer goes to others with
  /// other lines meanwhile.
  @Test(arguments: [joined, joined + 1]) func aSlowClientGetsItsOwn(size: Int) async throws {
    let server = Server(ServerOptions()) { _ in Ready() }
    let address = try server.start()
    let slow = try (0..<3).map { _ in try RawClient(address) }
    for client in slow {
      client.shrinkBuffers()
      try client.send(Self.request(size) + Self.request(size))
      client.endSending()
      // Another meanwhile, whole.
      let quick = try RawClient(address)
      try quick.send(Self.request(size))
      quick.endSending()
      var bytes = Array(try quick.receiveAll().utf8)[...]
      #expect(try Self.take(&bytes, isHead: false).body == Self.body(size))
    }
    var numbers: [Int] = []
    for client in slow {
      client.widenBuffers()
      var bytes = Array(try client.receiveAll().utf8)[...]
      for _ in 0..<2 {
        let answer = try Self.take(&bytes, isHead: false)
        #expect(answer.body == Self.body(size))
        numbers.append(answer.number)
      }
      #expect(bytes.isEmpty)
    }
    #expect(Set(numbers).count == 6)
    await server.stop(drain: .zero)
  }

  /// Whoever goes while a file is sent to him harms nobody else.
  @Test func aClientMayGoInTheMiddle() async throws {
    let server = Server(ServerOptions()) { _ in Ready() }
    let address = try server.start()
    for round in 0..<20 {
      let leaving = try RawClient(address)
      leaving.shrinkBuffers()
      try leaving.send(Self.request(300_000) + Self.request(300_000))
      try await Task.sleep(for: .milliseconds(round % 4))
    }
    let staying = try RawClient(address)
    try staying.send(Self.request(300_000))
    staying.endSending()
    var bytes = Array(try staying.receiveAll().utf8)[...]
    #expect(try Self.take(&bytes, isHead: false).body == Self.body(300_000))
    await server.stop(drain: .zero)
  }

  @Test func bodiesBeyondTheBoundsHaveNoFile() throws {
    #expect(BodyFile([UInt8](repeating: 1, count: BodyFile.bytesMax))?.byteCount == 4 << 20)
    #expect(BodyFile([UInt8](repeating: 1, count: BodyFile.bytesMax + 1)) == nil)
    for _ in 0..<2 {
      var files: [BodyFile] = []
      while files.count <= BodyFile.countMax, let file = BodyFile([1, 2, 3]) { files.append(file) }
      // Other tests may have some.
      #expect((1...BodyFile.countMax).contains(files.count))
    }
  }

  @Test func theRoomHoldsTheMostThatAnAnswerHasOfItsOwn() {
    let answer = EncodedAnswer(Response(status: 431, text: "x"))
    var own = PerReplyFields()
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: PerReplyFields.bytesMax)
    line.withUnsafeBytes { own.append($0) }
    var clock = DateClock()
    clock.update()
    let start = answer.begin(own, dateLine: clock.line)
    #expect(start >= 0)
    let text = String(decoding: answer.bytes[start...], as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\naaa"))
    #expect(text.hasSuffix("\r\n\r\nx"))
  }
}
