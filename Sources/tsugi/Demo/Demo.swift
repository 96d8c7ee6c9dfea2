import Assembly
import Feed
import Glibc
import HTTP
import Settings
import Simulator
import Upstream

/// A world to try the server on, without a network or a configuration: two built-in upstreams on
/// free ports of this machine, the samples as files, a feed merged of them, and a store of its own.
/// All of it goes when the demo ends.
///
/// The first drifts as it is read, and by the clock: a new item comes every two seconds, and a
/// listener is sent it within five, so that a person who looks again sees something new. The
/// second gets an item for every five of the first.
struct Demo {
  /// How many items there are at the beginning by default.
  static let itemCountDefault = 2_000
  /// How often a new item comes.
  static let insertInterval = Duration.seconds(2)
  /// For how many of the first upstream's items the second has one, at the beginning and later.
  static let teamShare = 5
  /// How many calls an hour it takes: with half of them the top is looked at each second or two.
  static let budget = 5_000
  /// How long a top is not looked at again.
  static let refreshSeconds: Int64 = 1
  /// How long a top is fresh, and after how long an item that two looks lacked has left.
  static let freshSeconds: Int64 = 10

  /// Where the simulated API begins.
  let baseURL: BaseURL
  /// The store's file.
  let storePath: String
  private let directory: String
  let qiita: SimulatedQiita
  private let team: SimulatedQiita
  private let teamURL: BaseURL
  private let inserting: Task<Void, Never>

  /// Starts it.
  ///
  /// - Throws: `.noDirectory`, `.unwritable` or `.listen`; then nothing is left behind.
  init(itemCount: Int) throws(CommandError) {
    let qiita = SimulatedQiita(
      Demo.qiita(itemCount: itemCount, drift: Drift([.insert: 0.5, .delete: 0.4, .late: 0.05])))
    let team = SimulatedQiita(
      Demo.qiita(seed: 2, itemCount: max(1, itemCount / Demo.teamShare), drift: Drift([:])))
    directory = try Demo.makeDirectory()
    storePath = "\(directory)/demo.sqlite"
    do throws(CommandError) {
      try Demo.writeSamples(to: directory)
    } catch {
      Demo.remove(directory)
      throw error
    }
    do throws(ServerError) {
      baseURL = BaseURL(loopbackPort: Int(try qiita.start()))
      teamURL = BaseURL(loopbackPort: Int(try team.start()))
    } catch {
      Demo.remove(directory)
      throw .assembly(.listen(error, host: "127.0.0.1", port: 0))
    }
    (self.qiita, self.team) = (qiita, team)
    inserting = Task {
      var count = 0
      while true {
        // Only a cancelled sleep throws, and then the demo is over.
        do { try await Task.sleep(for: Demo.insertInterval) } catch { return }
        count += 1
        for upstream in count.isMultiple(of: Demo.teamShare) ? [qiita, team] : [qiita] {
          upstream.withQiita { qiita in
            qiita.world.advance(to: Demo.now)
            qiita.world.insert()
          }
        }
      }
    }
  }

  /// The present second since 1970.
  static var now: Int64 { Int64(time(nil)) }

  /// Points a configuration at the demo: its upstreams, the samples, and `home` of both are the
  /// sources, its store the store.
  func apply(to configuration: inout Configuration) {
    configuration.sources = [:]
    for (name, url) in [("qiita", baseURL), ("team", teamURL)] {
      var source = Configuration.Source.Qiita()
      source.baseURL = url
      source.policy.refreshSeconds = Demo.refreshSeconds
      source.policy.freshSeconds = Demo.freshSeconds
      configuration.sources[name] = .qiita(source)
    }
    for sample in Samples.files {
      var file = Configuration.Source.File(path: "\(directory)/\(sample.name)")
      if let key = sample.key { file.list.order = .falling(FieldPath(key: key)) }
      configuration.sources[sample.source] = .file(file)
    }
    var home = Configuration.Source.Merged()
    for (name, feed) in Demo.parts {
      home.parts[name] = Configuration.Source.Merged.Part(feed: feed)
    }
    configuration.sources["home"] = .merged(home)
    configuration.store.path = storePath
    configuration.server.explorer = .all
  }

  /// What `home` is made of.
  private static let parts = [
    "articles": "qiita/items", "team": "team/items", "fruits": "fruits/items",
  ]

  /// Stops the upstreams and removes the store, which must be closed.
  func end() async {
    inserting.cancel()
    await qiita.stop()
    await team.stop()
    for suffix in ["", "-wal", "-shm", "-lock", "-damaged"] { unlink(storePath + suffix) }
    Demo.remove(directory)
  }

  /// Removes the directory with the samples in it.
  private static func remove(_ directory: String) {
    for file in Samples.files { unlink("\(directory)/\(file.name)") }
    rmdir(directory)
  }

  private static func writeSamples(to directory: String) throws(CommandError) {
    for sample in Samples.files {
      let path = "\(directory)/\(sample.name)"
      guard let file = fopen(path, "wxe") else {
        throw .unwritable(reason: SystemError.text(errno))
      }
      let bytes = Array(sample.text(now).utf8)
      let count = fwrite(bytes, 1, bytes.count, file)
      guard fclose(file) == 0, count == bytes.count else {
        throw .unwritable(reason: SystemError.text(errno))
      }
    }
  }

  private static func qiita(seed: UInt64 = 1, itemCount: Int, drift: Drift) -> Qiita {
    let world = World(
      WorldOptions(
        seed: seed, itemCount: itemCount, tieProbability: 0.05, topSeconds: Demo.now))
    return Qiita(world, options: Qiita.Options(drift: drift, budget: Demo.budget))
  }

  private static func makeDirectory() throws(CommandError) -> String {
    let parent = Environment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    var template = Array("\(parent)/tsugi-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .noDirectory(reason: SystemError.text(errno))
    }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
