import JSONBytes
import Simulator

/// Times how a page of 100 items, about 720 KB, is split into its items.
///
/// ```sh
/// swift run -c release SplitBenchmark
/// ```
@main struct SplitBenchmark {
  static let rounds = 41
  static let splitsPerRound = 50
  static let pageBytes = 720_000

  static func main() throws {
    let page = madePage()
    let count = try JSON.elements(of: page).count
    print("a page of \(count) items, \(page.count) bytes")
    var times: [Double] = []
    var found = 0
    for _ in 0..<rounds {
      let duration = try ContinuousClock().measure {
        for _ in 0..<splitsPerRound { found += try JSON.elements(of: page).count }
      }
      times.append(duration / .milliseconds(splitsPerRound))
    }
    precondition(found == count * rounds * splitsPerRound, "every split finds every item")
    times.sort()
    print("split in \(times[rounds / 2]) ms (median of \(rounds) rounds; least \(times[0]))")
  }

  /// A page as the simulated Qiita makes it, its items cut down in size to the page wanted.
  private static func madePage() -> [UInt8] {
    let call = Call("/api/v2/items?per_page=100")
    var body: [UInt8] = []
    // The bodies' size is asked for in about; a few steps bring the page near to what is wanted.
    var bodyBytes = pageBytes / 100
    for _ in 0..<8 where abs(body.count - pageBytes) > pageBytes / 50 {
      if !body.isEmpty { bodyBytes += (pageBytes - body.count) / 100 }
      var qiita = Qiita(World(WorldOptions(itemCount: 100, bodyBytes: max(0, bodyBytes))))
      body = qiita.answer(call, nowSeconds: 1_765_261_485).body
    }
    return body
  }
}
