import Crowd
import Foundation

/// What real traffic has: heads that differ, validators, single items, polls, and writes to other
/// feeds meanwhile.
extension Rows {
  /// Each request with a header of its own, beside HAProxy.
  func heads() throws -> [Row] {
    let peer = start("haproxy") {
      try Peers.haproxy(stage.originPort, in: stage.directory, answering: "/hot")
    }
    var (rates, costs) = (Rounds(), Rounds())
    for round in 0..<rounds {
      for server in rotated([stage.tsugi, peer].compactMap(\.self), round) {
        let script = try stage.script("heads", Script.heads(target(of: server, "/hot")))
        let (load, cost) = try costed(server, target(of: server, "/hot"), script: script)
        rates.note(load.requestsPerSecond, of: server.name)
        costs.note(cost, of: server.name)
      }
    }
    for name in ["Tsugi", "HAProxy"] {
      note("\(name): \(Int(rates.median(name))) req/s, \(costs.median(name).short) µs CPU")
    }
    return [
      atLeast(
        1.3, rates.ratio("Tsugi", over: "HAProxy"), "hot slice, each head another, over HAProxy"),
      atMost(1, costs.ratio("Tsugi", over: "HAProxy"), "CPU of one of them, of HAProxy"),
    ]
  }

  /// A 304 whose reply was kept, and one whose head is another each time, beside a hot 200.
  func unchanged() throws -> [Row] {
    let tag =
      try RawReply(port: stage.tsugi.port, stage.hotTarget).fields
      .first { $0.name == "ETag" }?.value ?? ""
    let line = "If-None-Match: \(tag)"
    let script = try stage.script("unchanged", Script.heads(stage.hotTarget, line))
    var costs = Rounds()
    for _ in 0..<rounds {
      costs.note(try costed(stage.tsugi, stage.hotTarget).cost, of: "200")
      costs.note(try costed(stage.tsugi, stage.hotTarget, [line]).cost, of: "kept")
      costs.note(try costed(stage.tsugi, stage.hotTarget, script: script).cost, of: "other")
    }
    for name in ["200", "kept", "other"] { note("\(name): \(costs.median(name).short) µs CPU") }
    return [
      atMost(1.5, costs.ratio("kept", over: "200"), "CPU of a 304 that is kept, of a hot 200"),
      atMost(1.5, costs.ratio("other", over: "200"), "CPU of a 304 that is not, of a hot 200"),
    ]
  }

  /// What other requests of an app cost, and slices out of SQLite.
  func single() throws -> [Row] {
    let fresh = ["Cache-Control: max-age=0"]
    let slice = try RawReply(port: stage.tsugi.port, "/v1/small/items?limit=1&fields=id")
    let id = try slice.text(of: /"id":"([0-9a-f]+)"/)
    let seq = try slice.text(of: /"seq":"([^"]+)"/)
    let targets: [(String, String, [String], Double)] = [
      ("one item", "/v1/small/items/\(id)", [], 12),
      ("an empty :changes", "/v1/small/items:changes?since=\(seq)", [], 20),
      ("/readyz", "/readyz", [], 10),
      ("a slice out of SQLite", stage.hotTarget, fresh, 30),
      ("a slice of half a megabyte out of SQLite", stage.fullTarget, fresh, 280),
    ]
    return try targets.map { name, target, lines, goal in
      var costs = Rounds()
      for _ in 0..<rounds { costs.note(try costed(stage.tsugi, target, lines).cost, of: name) }
      return atMost(goal, costs.median(name), "CPU of \(name), µs")
    }
  }

  /// What of the rate of 2,000 hot targets is left beside ten writes a second to other feeds of
  /// their source.
  func writes() throws -> [Row] {
    let targets = try hotTargets()
    let users = try Set(
      RawReply(port: stage.tsugi.port, "/v1/small/items?limit=100&fields=user.id")
        .texts(of: /"user":\{"id":"([^"]+)"/)
    ).sorted().prefix(20)
    let script = try stage.script("targets", Script.anyOf(targets))
    var rates = Rounds()
    var count = 0
    for _ in 0..<rounds {
      rates.note(
        try Load(stage.tsugi, targets[0], seconds: seconds, script: script).requestsPerSecond,
        of: "quiet")
      let writing = Disturbance.writing(
        users.map { "/v1/small/users/\($0)/items?limit=5&refresh=true" }, perSecond: 10, stage)
      try giveWayToLoad()
      rates.note(
        try Load(stage.tsugi, targets[0], seconds: seconds, script: script).requestsPerSecond,
        of: "writing")
      count += writing.end()
    }
    note(
      "\(count / (rounds * seconds)) writes a second: "
        + ["quiet", "writing"].map { "\($0) \(Int(rates.median($0))) req/s" }
        .joined(separator: ", "))
    return [
      atLeast(
        0.9, rates.ratio("writing", over: "quiet"),
        "\(targets.count) hot targets beside writes to other feeds, of the quiet")
    ]
  }

  /// Slices of one to twenty items from a hundred places on.
  private func hotTargets() throws -> [String] {
    var places: [String] = []
    var next = "/v1/small/items?limit=3&fields=id"
    while places.count < 100 {
      let slice = try RawReply(port: stage.tsugi.port, next)
      places.append(try slice.text(of: /"endCursor":"([^"]+)"/))
      next = try slice.text(of: /"next":"([^"]+)"/)
    }
    let targets = places.flatMap { place in
      (1...20).map { "/v1/small/items?limit=\($0)&fields=id,title&startAfter=\(place)" }
    }
    for target in targets {
      guard try RawReply(port: stage.tsugi.port, target).status == 200 else {
        throw Child.Failure(description: "\(target) is not served")
      }
    }
    return targets
  }

  /// What an item of a feed costs that is read for the first time, from the top to the end.
  func cold() throws -> [Row] {
    var costs = Rounds()
    for round in 0..<min(rounds, 3) {
      let server = try stage.otherTsugi("walked \(round)", after: "true")
      let before = server.processorSeconds
      var next: String? = "/v1/third/items?limit=100&fields=id"
      var count = 0
      while let target = next {
        let slice = try RawReply(port: server.port, target)
        count += slice.texts(of: /\{"id":/).count
        next = try? slice.text(of: /"next":"([^"]+)"/)
      }
      costs.note((server.processorSeconds - before) / Double(count) * 1e6, of: "cold")
      note("\(count) items were read")
      server.stop()
    }
    return [atMost(26, costs.median("cold"), "CPU of an item read for the first time, µs")]
  }

  /// A measurement, and the server's processor time for a request in microseconds.
  func costed(
    _ server: RunningServer, _ target: String, _ lines: [String] = [], script: String? = nil
  ) throws -> (load: Load, cost: Double) {
    let before = server.processorSeconds
    let load = try Load(server, target, seconds: seconds, lines, script: script)
    return (load, (server.processorSeconds - before) / load.requests * 1e6)
  }
}

/// What wrk is to send where requests differ, in Lua.
private enum Script {
  /// One target, each time with another value of a header, and a line more.
  static func heads(_ target: String, _ line: String? = nil) -> String {
    let more = line.map { $0.replacing("\"", with: "\\\"") + "\\r\\n" } ?? ""
    return """
      local count = 0
      request = function()
        count = count + 1
        return "GET \(target) HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\(more)X-Trace: " .. count
          .. "\\r\\n\\r\\n"
      end
      """
  }

  /// Any of some targets.
  static func anyOf(_ targets: [String]) -> String {
    """
    local targets = {\(targets.map { "\"\($0)\"" }.joined(separator: ","))}
    local requests = {}
    for index, target in ipairs(targets) do
      requests[index] = "GET " .. target .. " HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n"
    end
    request = function() return requests[math.random(#requests)] end
    """
  }
}

extension RawReply {
  /// What the body has in the place of a pattern's group.
  fileprivate func text(of pattern: Regex<(Substring, Substring)>) throws -> String {
    guard let match = texts(of: pattern).first else {
      throw Child.Failure(description: "an answer of status \(status) lacks what is looked for")
    }
    return match
  }

  fileprivate func texts(of pattern: Regex<(Substring, Substring)>) -> [String] {
    String(decoding: body, as: UTF8.self).matches(of: pattern).map { String($0.output.1) }
  }

  fileprivate func texts(of pattern: Regex<Substring>) -> [Substring] {
    String(decoding: body, as: UTF8.self).matches(of: pattern).map(\.output)
  }
}
