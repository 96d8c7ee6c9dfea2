import Foundation
import Testing

@testable import TsugiClient

/// The session an app has, before a server whose every byte is laid down.
@Suite(.timeLimit(.minutes(3))) struct TransportOverSocketsTests {
  private let server: RawServer
  private let transport = URLSessionTransport()

  init() throws {
    server = try RawServer()
  }

  private func client(
    key: String? = "k3y", over transport: URLSessionTransport? = nil
  ) throws -> FeedClient {
    FeedClient(
      baseURL: try #require(URL(string: "http://127.0.0.1:\(server.port)")), apiKey: key,
      transport: transport ?? self.transport)
  }

  private static let slice =
    #"{"items":[],"limit":20,"hasMore":false,"hasPrevious":false,"seq":"e.1","#
    + #""freshness":{"state":"fresh","checkedAt":"","provenAt":""}}"#

  private static func good(_ headers: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(headers)content-length: \(slice.utf8.count)\r\n\r\n\(slice)"
  }

  private static func redirect(to location: String) -> String {
    "HTTP/1.1 302 Found\r\nlocation: \(location)\r\ncontent-length: 0\r\n"
      + "connection: close\r\n\r\n"
  }

  private func isAnswered302(_ error: TsugiError?) -> Bool {
    guard case .status(let failure) = error else { return false }
    return failure.status == 302
  }

  /// The key is for the server of the base URL, and for no other.
  @Test(arguments: [true, false])
  func followsNoRedirectToAnotherOrigin(streams: Bool) async throws {
    let other = try RawServer()
    let feed = try client().feed("qiita/items", of: Post.self)
    let asking = Task {
      if streams { for try await _ in feed.events() {} } else { _ = try await feed.slice() }
    }
    do {
      let connection = await server.connection()
      #expect(connection.head.contains("authorization: bearer k3y"))
      connection.send(Self.redirect(to: "http://127.0.0.1:\(other.port)/v1/qiita/items"))
    }
    let error = await #expect(throws: TsugiError.self) { try await asking.value }
    #expect(isAnswered302(error) && error?.mayPass == false)
  }

  @Test func followsARedirectWithinItsOrigin() async throws {
    let feed = try client().feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    do {
      let connection = await server.connection()
      connection.send(Self.redirect(to: "/v2/qiita/items"))
    }
    let connection = await server.connection()
    #expect(connection.head.hasPrefix("get /v2/qiita/items "))
    connection.send(Self.good())
    #expect(try await asking.value.items.isEmpty)
  }

  @Test(arguments: [
    ("http://a.example/x", "HTTP://A.example:80/y", true),
    ("https://a.example/x", "https://a.example:443/y", true),
    ("https://a.example/", "http://a.example/", false),
    ("https://a.example/", "https://a.example:8443/", false),
    ("https://a.example/", "https://b.example/", false),
    ("https://a.example/", "https://a.example.evil/", false),
    ("http://a.example/", "file:///etc/passwd", false),
  ])
  func tellsOriginsApart(source: String, target: String, isSame: Bool) {
    #expect(RedirectGuard.follows(URL(string: target), from: URL(string: source)) == isSame)
  }

  /// A length that is not kept, a part that is not whole, and nothing at all.
  @Test(arguments: [
    "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", "",
  ])
  func saysThatAConnectionBroke(reply: String) async throws {
    let feed = try client().feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    do {
      let connection = await server.connection()
      connection.send(reply)
      connection.finish()
    }
    let error = await #expect(throws: TsugiError.self) { _ = try await asking.value }
    guard case .transport(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason == .interrupted)
  }

  @Test(arguments: [0, 1], [true, false])
  func takesABodyOfSoManyBytesAndNoMore(excess: Int, isChunked: Bool) async throws {
    let transport = URLSessionTransport(bodyBytesMax: Self.slice.utf8.count - excess)
    let feed = try client(over: transport).feed("qiita/items", of: Post.self)
    let asking = Task { try await feed.slice() }
    let connection = await server.connection()
    if isChunked {
      connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
      connection.sendChunk(Self.slice)
      // Where it is too much already, its end is not waited for.
      if excess == 0 { connection.send("0\r\n\r\n") }
    } else {
      connection.send(Self.good())
    }
    guard excess > 0 else {
      #expect(try await asking.value.items.isEmpty)
      return
    }
    let error = await #expect(throws: TsugiError.self) { _ = try await asking.value }
    guard case .transport(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.reason == .tooLarge && error?.mayPass == false)
  }

  @Test func keepsNoCookies() async throws {
    let feed = try client(key: nil).feed("qiita/items", of: Post.self)
    for _ in 0..<2 {
      let asking = Task { try await feed.slice() }
      let connection = await server.connection()
      #expect(!connection.head.contains("cookie"))
      connection.send(Self.good("set-cookie: sid=42; Path=/\r\nconnection: close\r\n"))
      _ = try await asking.value
    }
  }
}
