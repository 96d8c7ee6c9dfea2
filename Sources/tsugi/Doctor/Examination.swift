import Feed
import Glibc
import HTTP
import Proxy
import SQLiteStore
import Settings
import Upstream

#if PostgreSQL
  import Bytes
  import PostgreSQLStore
#endif

/// Looks at all that a server with a configuration would need, and changes nothing.
///
/// Each source of an API costs one upstream call. What an observation means is decided in
/// ``Finding``.
struct Examination {
  /// How long an upstream may take, in seconds, where the configuration allows more.
  static let secondsMax = 10

  let configuration: Configuration

  /// Asks one after the other, the slowest last, and passes on each finding as it comes.
  func run(_ found: (Finding) -> Void) async throws(CommandError) -> [Finding] {
    var findings: [Finding] = []
    func note(_ finding: Finding) {
      findings.append(finding)
      found(finding)
    }
    let glance = glance()
    note(store(glance))
    let client = try SliceClient.transport()
    note(await port(isInUse: (try? glance.get())?.isInUse == true, client))
    if let shared = sharedStore() { note(shared) }
    var secondsAhead: [Int64] = []
    var (failing, undated): (Set<String>, Set<String>) = ([], [])
    for (name, source) in configuration.sources.sorted(by: { $0.key < $1.key }) {
      let asked = await ask(name, source, client)
      for finding in asked.findings { note(finding) }
      if let seconds = asked.secondsAhead { secondsAhead.append(seconds) }
      if !asked.findings.areSound { failing.insert(name) }
      if asked.secondsAhead == nil, source.recipe != nil { undated.insert(name) }
    }
    await client.close()
    for (name, merged) in configuration.mergedSources {
      note(.merged(name, merged, failing: failing, undated: undated))
    }
    // One upstream's clock may be wrong; this machine's is where all of them disagree with it.
    if configuration.sources.values.contains(where: { $0.recipe != nil }) {
      note(.clock(secondsAhead: secondsAhead.min { $0.magnitude < $1.magnitude }))
    }
    return findings
  }

  private func glance() -> Result<StoreGlance?, StoreError> {
    Result { () throws(StoreError) in try StoreGlance.of(configuration.store.path) }
  }

  private func store(_ glance: Result<StoreGlance?, StoreError>) -> Finding {
    let path = configuration.store.path
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let isWritable =
      access(folder, W_OK | X_OK) == 0 && (access(path, F_OK) != 0 || access(path, W_OK) == 0)
    var disk = statvfs()
    let freeBytes = statvfs(folder, &disk) == 0 ? Int64(clamping: disk.f_bavail) : nil
    return .store(
      glance, configuration.store,
      freeBytes: freeBytes?.multipliedReportingOverflow(by: Int64(disk.f_frsize)).partialValue,
      isWritable: isWritable)
  }

  /// The address is had for an instant. Where it is taken, its server is asked whether it is ready.
  private func port(isInUse: Bool, _ client: UpstreamClient) async -> Finding {
    let settings = configuration.server
    let address = Address(host: settings.host, port: settings.port)
    let server = Server(ServerOptions(address: address)) { $1.send(Response(status: 503)) }
    do throws(ServerError) {
      _ = try server.start()
      await server.stop(drain: .zero)
      return .port(nil, at: address, isOurs: false)
    } catch {
      let isReady = isInUse ? await isReady(address, client) : false
      return .port(error, at: address, isOurs: isReady)
    }
  }

  private func isReady(_ address: Address, _ client: UpstreamClient) async -> Bool {
    // One that cannot be asked is not ready.
    let url = "http://\(Welcome.reachable(address))/readyz"
    return (try? await client.reply(from: url, limits: limits))?.status == 200
  }

  /// One call of a source of an API, or a look at a file.
  private func ask(
    _ name: String, _ source: Configuration.Source, _ client: UpstreamClient
  ) async -> (findings: [Finding], secondsAhead: Int64?) {
    if case .file(let file) = source {
      let fetcher = FileFetcher(
        path: file.path, list: file.list, clock: SystemTime(), bytesMax: limits.bodyBytesMax)
      let feed = FeedID(
        source: name, pattern: FileFetcher.patterns(of: file.list)[0], parts: [Array("items".utf8)])
      let answer = Called(await fetcher.page(feed.pattern.paging.top(perPage: 1), of: feed))
      return ([.file(name, answer.failure, at: file.path)], nil)
    }
    guard let recipe = source.recipe, let allowance = source.allowance else { return ([], nil) }
    let answer = await call(name, recipe, client)
    let upstream = Finding.upstream(name, answer.failure, at: recipe.baseURL.text)
    // What did not answer says nothing of its budget.
    guard upstream.state == .ok || answer.budget != nil else { return ([upstream], nil) }
    let budget = Finding.budget(name, answer.budget, assuming: allowance)
    return ([upstream, budget], answer.secondsAhead)
  }

  /// A page of the first feed whose path can be filled in; where there is none, the base URL.
  private func call(_ name: String, _ recipe: Recipe, _ client: UpstreamClient) async -> Called {
    for (list, pattern) in zip(recipe.lists, recipe.patterns) {
      let words = pattern.words.map { word in
        word.hasPrefix(":") ? list.values[String(word.dropFirst())]?.first : word
      }
      guard !words.contains(nil) else { continue }
      let feed = FeedID(
        source: name, pattern: pattern, parts: words.compactMap { $0.map { Array($0.utf8) } })
      let window = pattern.paging.top(perPage: pattern.paging.perPageMax)
      let fetcher = ListFetcher(recipe, client: client, clock: SystemTime(), limits: limits)
      return Called(await fetcher.page(window, of: feed))
    }
    do throws(FetchError) {
      let reply = try await client.reply(from: recipe.baseURL.text, limits: limits)
      // What is above the lists need not be there; an error of the server itself is one.
      return Called(failure: reply.status < 500 ? nil : .serverError(status: reply.status))
    } catch {
      return Called(failure: error)
    }
  }

  private var limits: TransferLimits {
    var limits = TransferLimits()
    limits.totalTimeout = .seconds(
      min(Examination.secondsMax, configuration.upstream.timeoutSeconds))
    limits.bodyBytesMax = configuration.upstream.maxBodyMegabytes << 20
    return limits
  }

  /// The PostgreSQL that several servers share; nil where none is configured.
  private func sharedStore() -> Finding? {
    guard let url = configuration.store.url else { return nil }
    #if PostgreSQL
      return .sharedStore(
        Result { () throws(StoreError) in try PostgreSQLLedger(url: url.text).standing() }
      )
    #else
      return Finding(
        state: .failed, subject: "shared store",
        text: "\(url) needs a build with the trait PostgreSQL; remove store.url")
    #endif
  }
}

/// What a call of an upstream says besides its items.
private struct Called {
  var failure: FetchError?
  var budget: BudgetReading?
  /// How far this machine's clock is ahead of the answer's `Date`; nil where that says nothing.
  var secondsAhead: Int64?

  init(failure: FetchError?) {
    self.failure = failure
  }

  init(_ answer: Fetched<Page>) {
    if case .failure(let error) = answer.result { failure = error }
    budget = answer.budget
    // An answer that lay in a cache has the date of another time.
    guard answer.age ?? 0 == 0, let date = answer.date else { return }
    secondsAhead = answer.receivedAt.seconds - date
  }
}

#if PostgreSQL
  extension Finding {
    /// The shared store; nil as its status where nothing was ever shared.
    static func sharedStore(_ standing: Result<PostgreSQLLedger.Standing?, StoreError>) -> Finding {
      func finding(_ state: State, _ text: String) -> Finding {
        Finding(state: state, subject: "shared store", text: text)
      }
      switch standing {
      case .failure(let error):
        return finding(.failed, "\(error.reason); see store.url and docker/Alerts.md")
      case .success(nil): return finding(.ok, "reachable and empty; the first server makes it")
      case .success(let standing?):
        return finding(.ok, "\(standing.servers.count) live servers, \(standing.feeds) feeds")
      }
    }
  }
#endif
