import ArgumentParser
import Assembly
import Glibc
import HTTP
import Simulator

/// `tsugi simulate`: the built-in upstream alone, on a port of this machine.
struct Simulate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves a simulated API: made or recorded items that shift, failing on demand.",
    discussion: """
      It speaks Qiita's API v2, with its headers, limits and errors, at \
      http://127.0.0.1:<port>/api/v2, and prints that address. The same options and the same calls \
      give the same answers.

      With --face it is another API: one list at http://127.0.0.1:<port>/items, \
      {"items":[…],"total":5000}, paged by page, offset, item (after=ID), time (before=INSTANT) or \
      next (token=, from the member next), each with size=1 to 100. tsugi probe finds out how.

      Example: tsugi simulate --port 8081 --drift insert=0.5,delete=0.1 --fault 503=0.05
      Example: tsugi simulate --face offset --cap 1000
      """)

  /// The largest latency, in milliseconds.
  static let latencyMillisecondsMax = 600_000
  /// The most items that are made; each takes about 100 bytes.
  static let itemCountMax = 10_000_000
  /// The largest recording, in bytes.
  static let recordingBytesMax = 1 << 30

  @Option(
    help: "The port; 0 for any that is free (0 to 65535; default: 8081).",
    transform: number(in: 0...65_535))
  var port = 8081

  @Option(
    help: "How many items there are at the beginning (0 to 10000000; default: 5000).",
    transform: number(in: 0...itemCountMax))
  var items = 5_000

  @Option(
    help: "What everything random comes from, from 0 on (default: 1).",
    transform: number(in: 0...Int.max))
  var seed = 1

  @Option(
    parsing: .upToNextOption,
    help: "Serve the items of these files instead, each a JSON array as GET /items answers it.")
  var data: [String] = []

  @Option(
    help: ArgumentHelp(
      "Events for each list answer (0 to 1000; default: none): insert, delete, late, touch, "
        + "count, move.",
      valueName: "insert=R,delete=R,late=R"),
    transform: parseDrift)
  var drift = Drift()

  @Option(
    help: "How likely an item has the same second as the one before it (0 to 1; default: 0).",
    transform: parseProbability)
  var ties = 0.0

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "How likely an answer fails in this way (0 to 1; default: never): \(faultNames).",
      valueName: "KIND=P"),
    transform: parseFault)
  var fault: [FaultChance] = []

  @Option(
    help: "Calls an hour, instead of Qiita's 60 without and 1000 with a token (1 to 1000000).",
    transform: number(in: 1...1_000_000))
  var budget: Int?

  @Option(
    help: "Milliseconds every answer is held back (0 to \(latencyMillisecondsMax); default: 0).",
    transform: number(in: 0...latencyMillisecondsMax))
  var latency = 0

  @Option(
    help: "Seconds until a search knows of what came and went (0 to 86400; default: 0).",
    transform: number(in: 0...86_400))
  var searchLag = 0

  @Option(help: "Be another API, paged in this way, instead of Qiita.")
  var face: Face.Addressing?

  @Option(
    help: "With --face: all pages have so many items, whatever is asked (1 to 1000).",
    transform: number(in: 1...1_000))
  var pageSize: Int?

  @Option(help: "With --face: how answers give the number of all items (default: exact).")
  var total: Face.Total?

  @Option(
    help: "With --face: how many items are shown in all (1 to \(itemCountMax)).",
    transform: number(in: 1...itemCountMax))
  var cap: Int?

  func validate() throws {
    let given = [
      ("--page-size", pageSize != nil), ("--total", total != nil), ("--cap", cap != nil),
    ]
    if face == nil, let option = given.first(where: \.1) {
      throw ValidationError("\(option.0) needs --face: Qiita's answers are as they are")
    }
  }

  func run() async throws {
    let signals = ProcessSignals()
    let qiita = SimulatedQiita(Qiita(try world(), options: options))
    let port: Int
    do {
      port = try qiita.start(port: self.port)
    } catch {
      throw CommandError.assembly(.listen(error, host: "127.0.0.1", port: self.port))
    }
    let path = face == nil ? "/api/v2" : "/items"
    StandardStream.output.writeLine("http://127.0.0.1:\(port)\(path)")
    StandardStream.error.writeLine("serving until SIGINT or SIGTERM")
    _ = await signals.wait()
    await qiita.stop()
  }

  private var options: Qiita.Options {
    // A kind that is given twice counts as it was given last.
    let faults = Dictionary(fault.map { ($0.fault, $0.probability) }) { $1 }
    return Qiita.Options(
      drift: drift, faults: faults, budget: budget, latencyMilliseconds: latency,
      face: face.map { addressing in
        var face = Face(addressing)
        face.pageSize = pageSize
        face.total = total ?? face.total
        face.cap = cap
        return face
      })
  }

  private func world() throws -> World {
    let options = WorldOptions(
      seed: UInt64(seed), itemCount: items, tieProbability: ties, topSeconds: Int64(time(nil)),
      searchLagSeconds: Int64(searchLag))
    return data.isEmpty
      ? World(options) : World(recording: try recording(), options: options)
  }

  private func recording() throws -> Recording {
    var files: [[UInt8]] = []
    for path in data {
      do throws(CommandError) {
        files.append(try FileContents.read(path, bytesMax: Simulate.recordingBytesMax))
      } catch {
        throw ValidationError("--data: \(error)")
      }
    }
    do throws(Recording.Failure) {
      return try Recording(files: files)
    } catch {
      switch error {
      case .notAnArray(let file, let cause):
        throw ValidationError("--data: \(data[file]) is not a JSON array: \(cause)")
      case .notAnItem(let file, let element):
        throw ValidationError(
          "--data: element \(element) of \(data[file]) is not an item of Qiita")
      }
    }
  }
}

/// How likely a fault is.
struct FaultChance {
  let fault: Fault
  /// 0 to 1.
  let probability: Double
}

extension Simulate {
  private static let faultNames = Fault.allCases.map(\.rawValue).joined(separator: ", ")

  private static func parseDrift(_ text: String) throws -> Drift {
    guard let drift = Drift(parsing: text) else {
      let names = (Event.Kind.allCases.map(\.rawValue) + ["move"]).joined(separator: ", ")
      throw ValidationError(
        "a list of NAME=RATE is allowed, each name one of \(names), each rate from 0 to 1000")
    }
    return drift
  }

  private static func parseProbability(_ text: String) throws -> Double {
    guard let value = Double(text), 0...1 ~= value else {
      throw ValidationError("a number from 0 to 1 is allowed")
    }
    return value
  }

  private static func parseFault(_ text: String) throws -> FaultChance {
    guard let chance = Fault.probability(parsing: text) else {
      throw ValidationError(
        "KIND=P is allowed, the kind one of \(faultNames), P from 0 to 1")
    }
    return FaultChance(fault: chance.fault, probability: chance.probability)
  }
}

extension Face.Addressing: ExpressibleByArgument {}
extension Face.Total: ExpressibleByArgument {}
