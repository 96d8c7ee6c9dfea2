import Engine
import Feed
import Logging
import Proxy
import Settings
import Upstream

/// A source that is served, with the parts that a reload can change.
struct ServedSource {
  /// What reads it.
  let reader: FeedReader
  var binding: SourceBinding
  /// Where its file's fate is told; nil for one of no file.
  let fileLog: FileLog?
}

/// The parts of a source that its settings decide and a reload replaces.
struct SourceParts {
  let policy: Policy
  let fetcher: any PageFetcher
  let patterns: [FeedPattern]
}

/// Makes a source from its configuration: a fetcher, a policy, a reader.
struct SourceAssembly {
  /// How long a call may take and what it may bring.
  let limits: TransferLimits
  let client: UpstreamClient
  let store: any FeedStore
  let time: any TimeSource
  let logger: Logger

  /// An assembly by a configuration.
  init(
    _ settings: Configuration.Upstream, client: UpstreamClient, store: any FeedStore,
    time: any TimeSource, logger: Logger
  ) {
    var limits = TransferLimits()
    limits.totalTimeout = .seconds(settings.timeoutSeconds)
    limits.bodyBytesMax = settings.maxBodyMegabytes << 20
    self.limits = limits
    self.client = client
    self.store = store
    self.time = time
    self.logger = logger
  }

  /// A source with a reader of its own.
  ///
  /// - Throws: `.store` when the reader gets no connection.
  func source(
    _ name: String, _ settings: Configuration.Source
  ) throws(AssemblyError) -> ServedSource {
    let fitting = fitting(settings)
    let calls = UpstreamCalls()
    var log: FileLog?
    if case .file(let file) = settings {
      log = FileLog(source: name, path: file.path, logger: logger)
    }
    do throws(StoreError) {
      let reader = try FeedReader(
        source: name, policy: fitting.policy, fetcher: fitting.fetcher, store: store,
        time: time, executor: QueueExecutor(label: "tsugi.source.\(name)"),
        report: { [logger, log] in
          if let log { log.note($0) } else { logger.note($0, of: name) }
          calls.note($0)
        })
      return ServedSource(
        reader: reader,
        binding: SourceBinding(
          name: name, patterns: fitting.patterns, reader: reader, kind: settings.kind,
          calls: calls),
        fileLog: log)
    } catch {
      throw .store(error)
    }
  }

  /// What settings come to.
  func fitting(_ settings: Configuration.Source) -> SourceParts {
    switch settings {
    case .qiita(let qiita):
      SourceParts(
        policy: policy(qiita.policy, openings: qiita.newFeedShare),
        fetcher: ListFetcher(qiita.recipe, client: client, clock: time, limits: limits),
        patterns: qiita.recipe.patterns)
    case .http(let http):
      SourceParts(
        policy: policy(http.policy, openings: http.newFeedShare),
        fetcher: ListFetcher(http.recipe, client: client, clock: time, limits: limits),
        patterns: http.recipe.patterns)
    case .file(let file):
      SourceParts(
        policy: FileFetcher.policy,
        fetcher: FileFetcher(
          path: file.path, clock: time, bytesMax: limits.bodyBytesMax),
        patterns: FileFetcher.patterns)
    }
  }

  private func policy(_ policy: Policy, openings share: Double) -> Policy {
    var policy = policy
    policy.openingPermille = Int(share * 1000)
    return policy
  }
}

extension Configuration.Source {
  /// What the source is served as.
  var kind: SourceBinding.Kind {
    switch self {
    case .qiita: .qiita
    case .file: .file
    case .http: .api
    }
  }
}
