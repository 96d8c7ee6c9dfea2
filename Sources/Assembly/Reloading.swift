import Bytes
import Engine
import Feed
import Logging
import Proxy
import Settings
import Upstream

/// Changes a running server to another configuration. ``Configuration/Change`` decides what
/// changes; it is done here and nowhere else.
///
/// What can fail comes first, so that a configuration is taken whole or not at all. A source that
/// goes is no longer served, but its reader stays: who reads it may still be at it, and should it
/// come again there must not be a second one.
actor Reloading {
  /// What goes by the configuration.
  struct Parts: Sendable {
    let client: UpstreamClient
    let store: any FeedStore
    let raw: RawKeeping
    let server: ProxyServer
    let storeKeeper: StoreKeeper
    let membership: (any Membership)?
    /// What a configuration says of the server, here.
    let settings: @Sendable (Configuration) -> ServerSettings
    let time: any TimeSource
    let logger: Logger
  }

  private let parts: Parts
  private var configuration: Configuration
  /// Every source that was ever served.
  private var sources: [String: ServedSource]
  private nonisolated let executor = QueueExecutor(label: "tsugi.reloading")

  /// What runs by `configuration` and serves `sources`.
  init(
    _ parts: Parts, by configuration: Configuration, sources: [ServedSource]
  ) {
    self.parts = parts
    self.configuration = configuration
    self.sources = Dictionary(
      sources.map { ($0.binding.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Reads the configuration again, and serves by it unless it is refused; the log says which.
  func reload(_ read: @Sendable () throws -> Configuration) async {
    let plan: Plan
    do {
      plan = try self.plan(try Configuration.Change(from: configuration, to: try read()))
    } catch {
      parts.logger.error(
        "the configuration is refused; the old one stays",
        metadata: ["reason": "\(Self.reason(error))"])
      return
    }
    await perform(plan)
    let change = plan.change
    parts.logger.log(change.result.warnings)
    parts.logger.info(
      "the configuration was read again",
      metadata: ["changed": .array(change.applied.map { .string($0) })])
    guard !change.awaitingRestart.isEmpty else { return }
    parts.logger.warning(
      "some changes need a restart; the old values stay until then",
      metadata: ["keys": .array(change.awaitingRestart.map { .string($0) })])
  }

  /// A change with all that it needs.
  private struct Plan {
    let change: Configuration.Change
    var fittings: [String: (parts: SourceParts, raw: RawSource?, isAnotherCaller: Bool)] = [:]
    var newSources: [String: ServedSource] = [:]
    /// Made again each time: they have nothing of their own.
    var merged: [SourceBinding] = []
  }

  private func plan(_ change: Configuration.Change) throws(AssemblyError) -> Plan {
    var plan = Plan(change: change)
    let upstream = change.result.upstream
    let assembly = SourceAssembly(
      upstream, client: parts.client, store: parts.store, raw: parts.raw,
      membership: parts.membership, time: parts.time, logger: parts.logger)
    for (name, settings) in change.result.sources {
      let former = configuration.sources[name]
      guard !settings.isMerged else { continue }
      guard let source = sources[name] else {
        plan.newSources[name] = try assembly.source(name, settings)
        continue
      }
      guard source.binding.kind == settings.kind else {
        // It was served before the last time, as another kind.
        throw .needsRestart(key: "sources.\(name).kind")
      }
      guard former != settings || configuration.upstream != upstream,
        let fitting = assembly.fitting(settings)
      else { continue }
      plan.fittings[name] = (
        fitting, assembly.rawSource(name, settings, of: source.reader),
        isAnotherCaller: former?.caller != settings.caller
      )
    }
    plan.merged = try assembly.merged(change.result) { name in
      (plan.newSources[name] ?? sources[name])?.reader
    }
    return plan
  }

  private func perform(_ plan: Plan) async {
    for (name, (fitting, raw, isAnotherCaller)) in plan.fittings {
      guard let source = sources[name] else { continue }
      await source.reader.adopt(
        fitting.policy, fetcher: fitting.fetcher, isAnotherCaller: isAnotherCaller)
      sources[name]?.binding = source.binding.serving(fitting.patterns, raw: raw)
      if case .file(let file) = plan.change.result.sources[name] {
        sources[name]?.fileLog?.setPath(file.path)
      }
    }
    sources.merge(plan.newSources) { _, new in new }
    await parts.storeKeeper.adopt(plan.newSources.values.map(\.reader))
    await parts.membership?.adopt(plan.newSources.values.map(\.reader))
    configuration = plan.change.result
    parts.raw.keepOnly(configuration.sources, parts.logger)
    await parts.server.adopt(
      parts.settings(configuration),
      sources: plan.merged
        + configuration.sources.compactMap { name, settings in
          settings.isMerged ? nil : sources[name]?.binding
        })
    await plan.newSources.values.map(\.binding).readFiles()
  }

  /// The most problems in one line.
  static let problemsMax = 10

  /// Why a configuration is refused, on one line.
  private static func reason(_ error: any Error) -> String {
    guard let problems = (error as? Configuration.Problems)?.all else { return "\(error)" }
    let named = problems.prefix(problemsMax).map(\.description).joined(separator: "; ")
    let rest = problems.count - problemsMax
    return rest > 0 ? "\(named); and \(rest) more" : named
  }
}

extension Configuration.Source {
  /// Who asks whom: what a budget of calls belongs to.
  fileprivate var caller: [String?] {
    switch self {
    case .qiita(let qiita): [qiita.baseURL.text, qiita.token?.text]
    case .http(let http): [http.recipe.baseURL.text, http.recipe.credential?.identity]
    case .file, .merged: []
    }
  }
}

extension [SourceBinding] {
  /// Reads the files, so that an unusable one is reported now, not at its first request.
  func readFiles() async {
    for source in self where source.kind == .file {
      for pattern in source.patterns {
        let feed = FeedID(
          source: source.name, pattern: pattern, parts: pattern.words.map { [UInt8]($0.utf8) })
        // What is wrong with it is in the log already.
        _ = try? await source.reader.slice(SliceRequest(feed: feed, limit: 1, wait: .seconds(30)))
      }
    }
  }
}
