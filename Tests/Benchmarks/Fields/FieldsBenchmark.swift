import JSONBytes
import Simulator

/// Times how twenty items of 25 KB are cut to `id,title,user.name`, next to splitting the same
/// bytes into items, which is a scan that keeps nothing, and to copying them.
///
/// ```sh
/// swift run -c release FieldsBenchmark
/// ```
@main struct FieldsBenchmark {
  static let rounds = 101
  static let cutsPerRound = 20
  static let itemCount = 20
  static let itemBytes = 25_000

  static func main() throws {
    let page = madePage()
    let items = try JSON.elements(of: page).map { Array(page[$0]) }
    let bytes = items.reduce(0) { $0 + $1.count }
    var tree = FieldTree()
    for path in [["id"], ["title"], ["user", "name"]] { tree.keep(path.map { Array($0.utf8) }) }

    var times: [String: [Double]] = [:]
    var kept = 0
    var copied = 0
    for _ in 0..<rounds {
      try measure("cut", &times) { kept = try cut(items, to: tree) }
      try measure("split", &times) { _ = try JSON.elements(of: page).count }
      measure("copy", &times) { copied += copy(items) }
    }
    precondition(copied == bytes * rounds * cutsPerRound, "every copy is whole")
    print("\(items.count) items of \(bytes / items.count) bytes, cut to \(kept) bytes in all")
    let medians = times.mapValues { $0.sorted()[rounds / 2] }
    for name in ["cut", "split", "copy"] {
      let microseconds = medians[name] ?? 0
      let speed = Double(bytes) / microseconds / 1_000
      print("\(name): \(microseconds) µs, \(speed) GB/s (median of \(rounds) interleaved rounds)")
    }
  }

  private static func measure(
    _ name: String, _ times: inout [String: [Double]], _ body: () throws -> Void
  ) rethrows {
    let duration = try ContinuousClock().measure {
      for _ in 0..<cutsPerRound { try body() }
    }
    times[name, default: []].append(duration / .microseconds(cutsPerRound))
  }

  @inline(never) private static func cut(_ items: [[UInt8]], to tree: FieldTree) throws -> Int {
    var output: [UInt8] = []
    for item in items { try JSON.cut(item[...], to: tree, into: &output) }
    return output.count
  }

  @inline(never) private static func copy(_ items: [[UInt8]]) -> Int {
    var output: [UInt8] = []
    output.reserveCapacity(itemCount * itemBytes * 2)
    for item in items { output.append(contentsOf: item) }
    return output.count
  }

  /// Items as the simulated Qiita makes them, near to the size wanted.
  private static func madePage() -> [UInt8] {
    let call = Call("/api/v2/items?per_page=\(itemCount)")
    let wanted = itemBytes * itemCount
    var body: [UInt8] = []
    // The bodies' size is asked for in about; a few steps bring the page near to what is wanted.
    var bodyBytes = itemBytes
    for _ in 0..<8 where abs(body.count - wanted) > wanted / 50 {
      if !body.isEmpty { bodyBytes += (wanted - body.count) / itemCount }
      var qiita = Qiita(World(WorldOptions(itemCount: itemCount, bodyBytes: max(0, bodyBytes))))
      body = qiita.answer(call, nowSeconds: 1_765_261_485).body
    }
    return body
  }
}
