import Crowd
import Dispatch
import Foundation
import Glibc
import HTTP
import Synchronization

/// The rows of the table, each a few interleaved rounds.
struct Rows {
  let stage: Stage
  let rounds: Int
  let seconds: Int

  /// The hot slice: rate, processor time, latency.
  func hot() throws -> [Row] {
    var servers = [stage.tsugi]
    servers.append(
      try Peers.inC(stage.hot, in: stage.directory, answering: "/hot"))
    servers += caches(answering: "/hot")
    let (rates, costs, p99) = try measure(servers)
    for server in servers {
      let figures = [
        "\(Int(rates.median(server.name))) req/s", "\(costs.median(server.name).short) µs CPU",
        "p99 \(p99.median(server.name).short) ms",
      ]
      note("\(server.name): \(figures.joined(separator: ", "))")
    }
    var rows = [("nginx", 1.8), ("nginx tuned", 1.4), ("Varnish", 2.0), ("HAProxy", 1.25)].map {
      atLeast($1, rates.ratio("Tsugi", over: $0), "hot slice of \(size), req/s over \($0)")
    }
    rows.append(atLeast(0.94, rates.ratio("Tsugi", over: "C"), "hot slice, req/s of C"))
    rows.append(atMost(1.15, costs.ratio("Tsugi", over: "C"), "CPU per hot request, of C"))
    rows.append(
      atMost(1, p99.ratio("Tsugi", over: "nginx tuned"), "p99 at 64 connections, of nginx tuned"))
    return rows + (try single(servers.filter { ["Tsugi", "C", "HAProxy"].contains($0.name) }))
  }

  private func single(_ servers: [RunningServer]) throws -> [Row] {
    var p50 = Rounds()
    for round in 0..<rounds {
      for server in rotated(servers, round) {
        let load = try Load(server, target(of: server, "/hot"), connections: 1, seconds: seconds)
        p50.note(load.p50Milliseconds * 1000, of: server.name)
      }
    }
    for server in servers { note("\(server.name): p50 alone \(p50.median(server.name).short) µs") }
    return [
      atMost(1, p50.ratio("Tsugi", over: "HAProxy"), "p50 at one connection, of HAProxy")
    ]
  }

  /// The hot slice over a connection of its own for each request, beside HAProxy and C.
  func closing() throws -> [Row] {
    let peers = [
      start("haproxy") {
        try Peers.haproxy(stage.originPort, in: stage.directory, answering: "/hot")
      },
      try Peers.inC(stage.hot, in: stage.directory, answering: "/hot"),
    ]
    let servers = [stage.tsugi] + peers.compactMap(\.self)
    return try ClosingLoad.Ending.allCases.flatMap { ending in
      var (rates, costs) = (Rounds(), Rounds())
      for round in 0..<rounds {
        for server in rotated(servers, round) {
          let before = server.processorSeconds
          let load = try ClosingLoad(server, target(of: server, "/hot"), ending, seconds: seconds)
          rates.note(load.connectionsPerSecond, of: server.name)
          costs.note(
            (server.processorSeconds - before) / load.connections * 1e6, of: server.name)
        }
      }
      for server in servers {
        let (rate, cost) = (rates.median(server.name), costs.median(server.name))
        let figures = "\(Int(rate)) connections/s, \(cost.short) µs CPU"
        note("\(server.name), \(ending.rawValue): \(figures)")
      }
      return [
        atLeast(
          1, rates.ratio("Tsugi", over: "HAProxy"),
          "a connection per request, \(ending.rawValue), over HAProxy"),
        atMost(
          1, costs.ratio("Tsugi", over: "HAProxy"), "CPU of one \(ending.rawValue), of HAProxy"),
        atMost(2, costs.ratio("Tsugi", over: "C"), "CPU of one \(ending.rawValue), of C"),
      ]
    }
  }

  /// Rate of the hot slice, processor time of a request in microseconds, and latency, round by
  /// round in turn.
  private func measure(
    _ servers: [RunningServer]
  ) throws -> (rates: Rounds, costs: Rounds, p99: Rounds) {
    var (rates, costs, p99) = (Rounds(), Rounds(), Rounds())
    for round in 0..<rounds {
      for server in rotated(servers, round) {
        let (load, cost) = try costed(server, target(of: server, "/hot"))
        rates.note(load.requestsPerSecond, of: server.name)
        costs.note(cost, of: server.name)
        p99.note(load.p99Milliseconds, of: server.name)
      }
    }
    return (rates, costs, p99)
  }

  /// Half a megabyte, as it is and as gzip.
  func full() throws -> [Row] {
    var rows: [Row] = []
    for (path, lines, what) in [
      ("/full", [], "full slice"), ("/full.gz", ["Accept-Encoding: gzip"], "full slice as gzip"),
    ] {
      let rates = try compare(path, stage.fullTarget, lines)
      let bytes = try RawReply(port: stage.tsugi.port, stage.fullTarget, lines).body.count
      rows.append(
        atLeast(
          1, rates.ratio("Tsugi", over: "nginx"), "\(what) of \(bytes >> 10) KB, req/s over nginx"))
    }
    return rows
  }

  /// The hot slice where the answer cache is passed by: a request that says `max-age=0` is not
  /// plain, and is answered out of SQLite.
  func store() throws -> [Row] {
    let rates = try compare("/hot", stage.hotTarget, ["Cache-Control: max-age=0"])
    return [atLeast(0.9, rates.ratio("Tsugi", over: "nginx"), "slice out of SQLite, over nginx")]
  }

  /// A slice of three parts beside a plain one, from the answer cache and out of SQLite.
  func merged() throws -> [Row] {
    let goals = [("hot", [], 0.95), ("out of SQLite", ["Cache-Control: max-age=0"], 0.8)]
    return try goals.map { name, lines, goal in
      var rates = Rounds()
      for round in 0..<rounds {
        let targets = [("plain", stage.hotTarget), ("merged", stage.mergedTarget)]
        for (kind, target) in round.isMultiple(of: 2) ? targets : targets.reversed() {
          let load = try Load(stage.tsugi, target, seconds: seconds, lines)
          rates.note(load.requestsPerSecond, of: kind)
        }
      }
      note(
        "\(name): "
          + ["plain", "merged"].map { "\($0) \(Int(rates.median($0))) req/s" }
          .joined(separator: ", "))
      return atLeast(
        goal, rates.ratio("merged", over: "plain"),
        "slice merged of three parts, \(name), of a plain one")
    }
  }

  /// The hot slice's bytes as an upstream's answer that is kept by RFC 9111.
  func raw() throws -> [Row] {
    let own = try stage.rawTsugi()
    let nginx = start("nginx") {
      try Peers.nginx(isTuned: false, stage.originPort, in: stage.directory, answering: "/hot")
    }
    var rates = Rounds()
    for round in 0..<rounds {
      for server in rotated([stage.tsugi, own, nginx].compactMap(\.self), round) {
        let target = server === own ? Stage.rawTarget : target(of: server, "/hot")
        rates.note(
          try Load(server, target, seconds: seconds).requestsPerSecond, of: server.name)
      }
    }
    for name in ["Tsugi", "Tsugi raw", "nginx"] {
      note("\(name): \(Int(rates.median(name))) req/s")
    }
    return [
      atLeast(
        0.95, rates.ratio("Tsugi raw", over: "Tsugi"), "raw answer of \(size), of a hot slice"),
      atLeast(1.8, rates.ratio("Tsugi raw", over: "nginx"), "raw answer, req/s over nginx"),
    ]
  }

  private func compare(_ path: String, _ target: String, _ lines: [String]) throws -> Rounds {
    let nginx = start("nginx") {
      try Peers.nginx(
        isTuned: false, stage.originPort, in: stage.directory, answering: path)
    }
    var rates = Rounds()
    for round in 0..<rounds {
      for server in rotated([stage.tsugi, nginx].compactMap(\.self), round) {
        let isOurs = server === stage.tsugi
        let load = try Load(server, isOurs ? target : path, seconds: seconds, isOurs ? lines : [])
        rates.note(load.requestsPerSecond, of: server.name)
      }
    }
    note(
      "\(path): "
        + ["Tsugi", "nginx"].map { "\($0) \(Int(rates.median($0))) req/s" }.joined(separator: ", "))
    return rates
  }

  /// What of the hot slice's p99 is left while the top is looked at and written without pause.
  func ingest() throws -> [Row] {
    var p99 = Rounds()
    var looks = 0
    for _ in 0..<rounds {
      p99.note(
        try Load(stage.tsugi, stage.hotTarget, seconds: seconds).p99Milliseconds, of: "quiet")
      let ingesting = try Disturbance.ingesting(stage)
      try giveWayToLoad()
      p99.note(
        try Load(stage.tsugi, stage.hotTarget, seconds: seconds).p99Milliseconds, of: "ingesting")
      looks += ingesting.end()
    }
    note("\(looks / (rounds * seconds)) pages a second were ingested")
    note("p99 quiet \(p99.median("quiet").short) ms, ingesting \(p99.median("ingesting").short) ms")
    return [
      atMost(2, p99.ratio("ingesting", over: "quiet"), "p99 while pages are ingested, of the quiet")
    ]
  }

  /// What of the p99 is left where a thousand clients, and five, listen to 200 changes a second.
  func listen() throws -> [Row] { try [1000, 5000].flatMap(listen) }

  private func listen(_ count: Int) throws -> [Row] {
    guard DescriptorLimit.raise(to: count + 200) >= count + 200 else {
      return [Row(figure: "p99 beside listeners", goal: "≤ 2", measured: "no descriptors")]
    }
    let target = "/v1/small/items?limit=20"
    var p99 = Rounds()
    var changes = 0
    var told = 0
    for _ in 0..<rounds {
      p99.note(try Load(stage.tsugi, target, seconds: seconds).p99Milliseconds, of: "quiet")
      let listening = try Disturbance.listening(count, port: stage.tsugi.port)
      let changing = Disturbance.changing(stage, perSecond: 200)
      try giveWayToLoad()
      p99.note(try Load(stage.tsugi, target, seconds: seconds).p99Milliseconds, of: "telling")
      changes += changing.end()
      told += listening.end()
    }
    note(
      "\(changes / (rounds * seconds)) changes a second, \(told / count / (rounds * seconds)) "
        + "bytes a second to each of \(count) listeners")
    note("p99 quiet \(p99.median("quiet").short) ms, telling \(p99.median("telling").short) ms")
    return [
      atMost(
        2, p99.ratio("telling", over: "quiet"), "p99 beside \(count) listeners, of the quiet")
    ]
  }

  /// System calls while a counted number of requests is answered.
  func systemCalls() throws -> [Row] {
    let count = 20_000
    let missing = ["strace", "h2load"].filter { !isInstalled($0) }
    guard missing.isEmpty else {
      note("not installed: \(missing.joined(separator: ", "))")
      return [atMost(2.1, nil, "system calls per hot request")]
    }
    let file = stage.directory.appending(path: "calls")
    let log = stage.directory.appending(path: "strace.log")
    let tracing = try Child(
      "exec strace -f -c -o \(file.path) -p \(stage.tsugi.id)", output: log)
    for _ in 0..<100 {
      if try String(contentsOf: log, encoding: .utf8).contains("attached") { break }
      usleep(50_000)
    }
    _ = try output(
      of: "taskset -c 1 h2load --h1 -n \(count) -c 64 -t 1 "
        + "'http://127.0.0.1:\(stage.tsugi.port)\(stage.hotTarget)'")
    tracing.end()
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    // Share, seconds, microseconds a call, calls, errors where there were some, name.
    let sum = text.split(separator: "\n").last { $0.hasSuffix(" total") } ?? ""
    let columns = sum.split(separator: " ")
    let calls = columns.count > 4 ? Double(columns[3]) : nil
    return [
      atMost(2.1, calls.map { $0 / Double(count) }, "system calls per hot request")
    ]
  }

  /// Memory of 10,000 connections that were answered once and rest.
  func idle() throws -> [Row] {
    let count = 10_000
    guard DescriptorLimit.raise(to: count + 200) >= count + 200 else {
      return [
        Row(figure: "memory per idle connection", goal: "≤ 128 B", measured: "no descriptors")
      ]
    }
    let server = try stage.otherTsugi("idle", after: "ulimit -n \(count + 2000)")
    var clients: [GoodClient] = []
    for _ in 0..<100 {
      clients.append(try GoodClient(port: server.port))
      guard try clients.last?.ask("/v1/small/items?limit=5") != nil else { break }
    }
    let before = server.residentBytes
    while clients.count < count {
      clients.append(try GoodClient(port: server.port))
      _ = try clients.last?.ask("/v1/small/items?limit=5")
    }
    let after = server.residentBytes
    let each = Double(after - before) / Double(count - 100)
    return [
      atMost(128, each, "memory per idle connection at 10,000, bytes"),
      atMost(24, Double(after) / 1_048_576, "memory with them, MB"),
    ]
  }

  /// Good requests while others do what they can, with few descriptors.
  func attack() throws -> [Row] {
    guard DescriptorLimit.raise(to: 4500) >= 4500 else {
      return [Row(figure: "good requests under attack", goal: "< 1 s", measured: "no descriptors")]
    }
    return try [1024, 256].map { descriptors in
      let server = try stage.otherTsugi(
        "attacked \(descriptors)", after: "ulimit -n \(descriptors)")
      let attack = try Disturbance.attack(port: server.port)
      var milliseconds: [Double] = []
      var failures = 0
      let clock = ContinuousClock()
      let end = clock.now + .seconds(3 * seconds)
      while clock.now < end {
        let begin = clock.now
        let answer = try? GoodClient(port: server.port).ask("/v1/small/items?limit=5")
        milliseconds.append((clock.now - begin) / .milliseconds(1))
        if answer != "HTTP/1.1 200 OK" { failures += 1 }
      }
      attack.end()
      let p99 = milliseconds.quantile(0.99)
      return Row(
        figure: "good requests' p99 under attack, \(descriptors) descriptors",
        goal: "< 1 s, none failed",
        measured: "\(p99.short) ms, \(failures) of \(milliseconds.count) failed",
        isReached: p99 < 1000 && failures == 0)
    }
  }
}

extension Rows {
  private var size: String { "\(stage.hot.body.count >> 10) KB" }

  func target(of server: RunningServer, _ path: String) -> String {
    server === stage.tsugi ? stage.hotTarget : path
  }

  /// All peers that cache, as far as they are installed.
  private func caches(answering path: String) -> [RunningServer] {
    let (origin, directory) = (stage.originPort, stage.directory)
    let peers: [(String, () throws -> RunningServer)] = [
      ("nginx", { try Peers.nginx(isTuned: false, origin, in: directory, answering: path) }),
      ("nginx", { try Peers.nginx(isTuned: true, origin, in: directory, answering: path) }),
      ("varnishd", { try Peers.varnish(origin, in: directory, answering: path) }),
      ("haproxy", { try Peers.haproxy(origin, in: directory, answering: path) }),
    ]
    return peers.compactMap { program, begin in start(program, begin) }
  }

  /// A peer, if it is installed and answers.
  func start(
    _ program: String, _ begin: () throws -> RunningServer
  ) -> RunningServer? {
    guard isInstalled(program) else {
      note("\(program) is not installed")
      return nil
    }
    do {
      return try begin()
    } catch {
      note("\(error)")
      return nil
    }
  }

  /// So that nobody is always first.
  func rotated(_ servers: [RunningServer], _ round: Int) -> [RunningServer] {
    Array(servers[(round % servers.count)...] + servers[..<(round % servers.count)])
  }

  func atLeast(_ goal: Double, _ value: Double?, _ figure: String) -> Row {
    Row(
      figure: figure, goal: "≥ \(goal.short)", measured: value?.short ?? "not measured",
      isReached: value.map { $0 >= goal })
  }

  func atMost(_ goal: Double, _ value: Double?, _ figure: String) -> Row {
    Row(
      figure: figure, goal: "≤ \(goal.short)", measured: value?.short ?? "not measured",
      isReached: value.map { $0 <= goal })
  }

  func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
