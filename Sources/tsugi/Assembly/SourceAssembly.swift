import Feed
import Logging
import Proxy
import Upstream

/// A source as it was made, with what can be changed of it while it is served.
struct ServedSource {
  var binding: SourceBinding
  /// Where its file's fate is told; nil for one of no file.
  let fileLog: FileLog?
}

/// What a source's settings come to: all of it that can change while it is served.
struct SourceFitting {
  let policy: Policy
  let fetcher: any PageFetcher
  let patterns: [FeedPattern]
}

/// Makes what serves a source out of what the configuration says of it.
struct SourceAssembly {
  /// How long a call may take and what it may bring.
  let limits: TransferLimits
  let client: UpstreamClient
  let store: any TimelineStore
  let logger: Logger

  /// An assembly by a configuration.
  init(
    _ settings: Configuration.Upstream, client: UpstreamClient, store: any TimelineStore,
    logger: Logger
  ) {
    var limits = TransferLimits()
    limits.totalTimeout = .seconds(settings.timeoutSeconds)
    limits.bodyBytesMax = settings.maxBodyMegabytes << 20
    self.limits = limits
    self.client = client
    self.store = store
    self.logger = logger
  }

  /// A source with a reader of its own.
  ///
  /// - Throws: `.store` when the reader gets no connection, `.unusable` when a setting that passed
  ///   as text cannot be used.
  func source(
    _ name: String, _ settings: Configuration.Source
  ) throws(CommandError) -> ServedSource {
    let fitting = try fitting(name, settings)
    let calls = UpstreamCalls()
    var log: FileLog?
    if case .file(let file) = settings {
      log = FileLog(source: name, path: file.path, logger: logger)
    }
    do throws(StoreError) {
      let reader = try FeedReader(
        source: name, policy: fitting.policy, fetcher: fitting.fetcher, store: store,
        time: SystemTime(), executor: QueueExecutor(label: "tsugi.source.\(name)"),
        report: { [logger, log] in
          if let log { log.note($0) } else { logger.note($0, of: name) }
          calls.note($0)
        })
      return ServedSource(
        binding: SourceBinding(
          name: name, patterns: fitting.patterns, reader: reader, kind: settings.kind,
          calls: calls),
        fileLog: log)
    } catch {
      throw .store(error)
    }
  }

  /// What settings come to.
  ///
  /// - Throws: `.unusable` when one that passed as text cannot be used.
  func fitting(
    _ name: String, _ settings: Configuration.Source
  ) throws(CommandError) -> SourceFitting {
    switch settings {
    case .qiita(let qiita):
      SourceFitting(
        policy: policy(qiita),
        fetcher: QiitaFetcher(
          client: client, clock: SystemTime(), base: try base(name, qiita),
          token: try token(name, qiita), limits: limits),
        patterns: Self.patterns(qiita))
    case .file(let file):
      SourceFitting(
        policy: FileFetcher.policy,
        fetcher: FileFetcher(
          path: file.path, clock: SystemTime(), bytesMax: limits.bodyBytesMax),
        patterns: FileFetcher.patterns)
    }
  }

  private func policy(_ settings: Configuration.Source.Qiita) -> Policy {
    var policy = settings.policy
    policy.openingPermille = Int(settings.newFeedShare * 1000)
    return policy
  }

  /// The owner's feeds show what only the token may see.
  private static func patterns(_ settings: Configuration.Source.Qiita) -> [FeedPattern] {
    QiitaSource.patterns.filter { settings.exposeOwner || !$0.isOwners }
  }

  private func base(
    _ name: String, _ settings: Configuration.Source.Qiita
  ) throws(CommandError) -> BaseURL {
    guard let base = BaseURL(settings.baseURL) else {
      throw .unusable(key: "sources.\(name).baseURL")
    }
    return base
  }

  private func token(
    _ name: String, _ settings: Configuration.Source.Qiita
  ) throws(CommandError) -> AccessToken? {
    guard let secret = settings.token else { return nil }
    guard let token = AccessToken(secret.text) else {
      throw .unusable(key: "sources.\(name).token")
    }
    return token
  }
}

extension Configuration.Source {
  /// What the source is served as.
  var kind: SourceBinding.Kind {
    switch self {
    case .qiita: .qiita
    case .file: .file
    }
  }
}
