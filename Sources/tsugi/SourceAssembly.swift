import Feed
import Logging
import Proxy
import Upstream

/// Makes what serves a source out of what the configuration says of it.
struct SourceAssembly {
  /// How long a call may take and what it may bring.
  let limits: TransferLimits
  let client: UpstreamClient
  let store: any TimelineStore
  let logger: Logger

  /// A source of Qiita's API, with a reader of its own.
  ///
  /// - Throws: `.store` when the reader gets no connection, `.unusable` when a setting that passed
  ///   as text cannot be used.
  func binding(
    _ name: String, _ settings: Configuration.Source.Qiita
  ) throws(CommandError) -> SourceBinding {
    let fetcher = QiitaFetcher(
      client: client, clock: SystemTime(), base: try base(name, settings),
      token: try token(name, settings), limits: limits)
    let calls = UpstreamCalls()
    do throws(StoreError) {
      let reader = try FeedReader(
        source: name, policy: policy(settings), fetcher: fetcher, store: store, time: SystemTime(),
        executor: QueueExecutor(label: "tsugi.source.\(name)"),
        report: { [logger] in
          logger.note($0, of: name)
          calls.note($0)
        })
      return SourceBinding(
        name: name, patterns: Self.patterns(settings), reader: reader, calls: calls)
    } catch {
      throw .store(error)
    }
  }

  /// A source of a file, with a reader of its own.
  ///
  /// - Throws: `.store` when the reader gets no connection.
  func binding(
    _ name: String, _ settings: Configuration.Source.File
  ) throws(CommandError) -> SourceBinding {
    let fetcher = FileFetcher(
      path: settings.path, clock: SystemTime(), bytesMax: limits.bodyBytesMax)
    let calls = UpstreamCalls()
    let log = FileLog(source: name, path: settings.path, logger: logger)
    do throws(StoreError) {
      let reader = try FeedReader(
        source: name, policy: FileFetcher.policy, fetcher: fetcher, store: store,
        time: SystemTime(), executor: QueueExecutor(label: "tsugi.source.\(name)"),
        report: {
          log.note($0)
          calls.note($0)
        })
      return SourceBinding(
        name: name, patterns: FileFetcher.patterns, reader: reader, kind: .file, calls: calls)
    } catch {
      throw .store(error)
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
