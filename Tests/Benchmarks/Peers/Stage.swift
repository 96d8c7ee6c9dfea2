import Foundation
import HTTP
import Simulator
import Synchronization

/// What the measurements stand on: three simulated upstreams, the server over them, and an origin
/// for the peers that gives out what the server answers.
final class Stage {
  /// The slice of about 10 KB that phones ask for all day, and what it was answered with.
  let hotTarget: String
  let hot: RawReply
  /// Twenty whole items, about half a megabyte.
  let fullTarget = "/v1/qiita/items?limit=20"
  /// As many items of three sources, with the same fields as the hot slice's.
  let mergedTarget = "/v1/home/items?limit=20&fields=\(fields)"
  let directory: URL
  let tsugi: RunningServer
  let origin: Server
  let originPort: Int
  private let upstreams: [SimulatedQiita]
  private let pages: [Server]
  private let configuration: URL

  /// The fields a list on a phone shows.
  private static let fields =
    "id,title,url,created_at,likes_count,user.id,user.profile_image_url,tags.name"

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "peers-\(getpid())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let top = Int64(Date().timeIntervalSince1970) - 600
    upstreams = [(nil, 400), (60, 400), (60, 20_000)].map { bodyBytes, itemCount in
      let world = World(WorldOptions(itemCount: itemCount, bodyBytes: bodyBytes, topSeconds: top))
      return SimulatedQiita(Qiita(world, options: Qiita.Options(budget: 1_000_000)))
    }
    let started = try upstreams.map { try $0.start() }
    var ports = Array(started.prefix(2))
    let made = try zip(upstreams, ports).map { try Stage.pages(of: $0, at: $1) }
    pages = made.map(\.0)
    ports += made.map(\.1) + started.suffix(1)
    try giveWayToLoad()
    let names = ["qiita", "small", "pages", "little", "third"]
    let sources = zip(names, ports).map { name, port in
      """
      "\(name)": {"baseURL": "http://127.0.0.1:\(port)/api/v2", "freshSeconds": 3600,
        "refreshSeconds": 0, "prefetchItems": 0}
      """
    }
    configuration = directory.appending(path: "config.json")
    // All load comes from one address, whose looks at tops would use up the openings of a minute.
    let text = """
      {"server": {"maxConnections": 12000, "newFeedsPerMinute": 0},
       "store": {"path": "peers.sqlite"},
       "sources": {\(sources.joined(separator: ",")), "home": {"kind": "merged", "parts": {
         "a": {"feed": "qiita/items"}, "b": {"feed": "small/items"},
         "c": {"feed": "third/items"}}}}}
      """
    try Data(text.utf8).write(to: configuration)
    tsugi = try Stage.tsugi("Tsugi", configuration, in: directory)
    (hotTarget, hot) = try Stage.hotAnswer(tsugi)
    (origin, originPort) = try Stage.origin([
      "/hot": hot, "/full": try RawReply(port: tsugi.port, fullTarget),
      "/full.gz": try RawReply(port: tsugi.port, fullTarget, ["Accept-Encoding: gzip"]),
    ])
  }

  deinit {
    // What is left lies in the temporary directory.
    try? FileManager.default.removeItem(at: directory)
  }

  /// A program that was built beside this one.
  static func program(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

  /// The path of a script for wrk.
  func script(_ name: String, _ text: String) throws -> String {
    let file = directory.appending(path: "\(name).lua")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// What the raw server is asked for: the hot slice's bytes, as an upstream's answer.
  static let rawTarget = "/v1/origin/raw/hot"

  /// A server that passes on what the origin has, and keeps it.
  func rawTsugi() throws -> RunningServer {
    let file = directory.appending(path: "raw.json")
    let text = """
      {"store": {"path": "raw.sqlite"}, "sources": {"origin": {"kind": "http",
        "baseURL": "http://127.0.0.1:\(originPort)", "raw": {"paths": ["hot"]}}}}
      """
    try Data(text.utf8).write(to: file)
    return try Stage.tsugi("Tsugi raw", file, in: directory, answering: Stage.rawTarget)
  }

  private static func tsugi(
    _ name: String, _ configuration: URL, in directory: URL, after command: String = "true",
    answering target: String = "/v1/qiita/items?limit=20"
  ) throws -> RunningServer {
    let port = freePort()
    return try RunningServer(
      name, port: port, in: directory,
      "taskset -c 0 \(program("tsugi")) serve --config \(configuration.path) "
        + "--port \(port)",
      after: command, answering: target)
  }

  /// A second server with a store of its own, after a command of the shell.
  func otherTsugi(_ name: String, after command: String) throws -> RunningServer {
    try Stage.tsugi(
      name, configuration, in: directory,
      after: "export TSUGI_STORE_PATH=\(name.replacing(" ", with: "-")).sqlite && \(command)")
  }

  /// With `fields` where the server knows them; else as many small items as make 10 KB.
  private static func hotAnswer(_ tsugi: RunningServer) throws -> (String, RawReply) {
    let cut = "/v1/qiita/items?limit=20&fields=\(fields)"
    let reply = try RawReply(port: tsugi.port, cut)
    if reply.status == 200 { return (cut, try RawReply(port: tsugi.port, cut)) }
    for limit in 1...20 {
      let target = "/v1/small/items?limit=\(limit)"
      let reply = try RawReply(port: tsugi.port, target)
      guard reply.status == 200 else { break }
      if reply.body.count >= 10_000 || limit == 20 {
        return (target, try RawReply(port: tsugi.port, target))
      }
    }
    throw Child.Failure(description: "there is no hot slice")
  }

  /// Answers each path with a reply's body and fields, but those that caches write themselves.
  private static func origin(_ replies: [String: RawReply]) throws -> (Server, Int) {
    // HAProxy keeps nothing that has Vary.
    let own: Set = [
      "date", "content-length", "age", "cache-status", "x-request-id", "cache-control", "vary",
    ]
    let responses = replies.mapValues { reply in
      var response = Response(body: reply.body)
      for (name, value) in reply.fields where !own.contains(name.lowercased()) {
        response.fields.append(named: name, value)
      }
      response.fields.append("Cache-Control", "max-age=3600")
      return response
    }
    let server = Server { request, responder in
      responder.send(responses[request.path] ?? Response(status: 404))
    }
    return (server, try server.start().port)
  }

  /// An upstream whose first page is another each time, made and compressed beforehand: a page of
  /// 2.6 MB costs the load's processor 10 ms to make, 1 ms to send, and a tenth of that compressed.
  /// What the load waits for there would be taken for the server's.
  private static func pages(of upstream: SimulatedQiita, at port: Int) throws -> (Server, Int) {
    let responses = try (0..<8).map { _ in
      upstream.withQiita { qiita in
        for id in qiita.world.ids.prefix(100).shuffled().prefix(10) { qiita.world.touch(id: id) }
      }
      let reply = try RawReply(port: port, "/api/v2/items?page=1&per_page=100")
      let own: Set = ["date", "content-length", "connection"]
      var response = Response(body: try Stage.gzip(reply.body))
      response.fields.append("Content-Encoding", "gzip")
      for (name, value) in reply.fields where !own.contains(name.lowercased()) {
        response.fields.append(named: name, value)
      }
      return response
    }
    let turn = Turn()
    let server = Server { _, responder in responder.send(responses[turn.next() % responses.count]) }
    return (server, try server.start().port)
  }

  /// A body as gzip makes it.
  private static func gzip(_ body: [UInt8]) throws -> [UInt8] {
    let file = FileManager.default.temporaryDirectory.appending(path: "page-\(getpid())")
    defer {
      for name in [file.path, "\(file.path).gz"] { unlink(name) }
    }
    try Data(body).write(to: file)
    _ = try output(of: "gzip -kf \(file.path)")
    return Array(try Data(contentsOf: file.appendingPathExtension("gz")))
  }

  /// Edits so many of the small upstream's newest hundred; gives how many it could.
  func change(_ count: Int) -> Int {
    upstreams[1].withQiita { qiita in
      let chosen = qiita.world.ids.prefix(100).shuffled().prefix(count)
      return chosen.filter { qiita.world.touch(id: $0) }.count
    }
  }
}

/// Whose turn it is.
private final class Turn: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
