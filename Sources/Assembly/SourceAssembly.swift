import Engine
import Feed
import Freshness
import Logging
import Merge
import Proxy
import RawCache
import Settings
import Upstream

/// A source that is served, with the parts that a reload can change.
struct ServedSource {
  /// What reads it.
  let reader: FeedReader
  var binding: SourceBinding
  /// Logs what becomes of its file; nil for a source without a file.
  let fileLog: FileLog?
}

/// The parts of a source that its settings decide and a reload replaces.
struct SourceParts {
  let policy: Policy
  let fetcher: any PageFetcher
  let patterns: [FeedPattern]
}

/// Where answers of the raw route are kept, and what all of them may take.
struct RawKeeping {
  let store: any AnswerStore
  /// The most bytes of one source's.
  let bytesMax: Int64

  /// A place in a store that may take so many bytes.
  init(in store: any AnswerStore, ofBytes bytesMax: Int64) {
    self.store = store
    self.bytesMax = bytesMax / Configuration.Store.answersShare
  }
}

/// Makes a source from its configuration: a fetcher, a policy, a reader.
struct SourceAssembly {
  /// How long a call may take and what it may bring.
  let limits: TransferLimits
  let client: UpstreamClient
  let store: any FeedStore
  let time: any TimeSource
  let logger: Logger
  /// Where what is in no feed is kept.
  let raw: RawKeeping
  /// What gets the failures of a shared store; nil where the store is this server's own.
  let membership: (any Membership)?

  /// An assembly by a configuration.
  init(
    _ settings: Configuration.Upstream, client: UpstreamClient, store: any FeedStore,
    raw: RawKeeping, membership: (any Membership)?, time: any TimeSource, logger: Logger
  ) {
    self.raw = raw
    self.membership = membership
    var limits = TransferLimits()
    limits.totalTimeout = .seconds(settings.timeoutSeconds)
    limits.bodyBytesMax = settings.maxBodyMegabytes << 20
    self.limits = limits
    self.client = client
    self.store = store
    self.time = time
    self.logger = logger
  }

  /// A source with a reader of its own; nil for a merged one, which reads through others': see
  /// ``merged(_:over:)``.
  ///
  /// - Throws: `.store` when the reader gets no connection.
  func source(
    _ name: String, _ settings: Configuration.Source
  ) throws(AssemblyError) -> ServedSource? {
    guard let fitting = fitting(settings) else { return nil }
    let calls = UpstreamCalls()
    var log: FileLog?
    if case .file(let file) = settings {
      log = FileLog(source: name, path: file.path, logger: logger)
    }
    do throws(StoreError) {
      let reader = try FeedReader(
        source: name, policy: fitting.policy, fetcher: fitting.fetcher, store: store,
        time: time, executor: QueueExecutor(label: "tsugi.source.\(name)"),
        report: { [logger, log, membership] in
          if case .notStored(let error) = $0, case .unreachable = error, let membership {
            membership.noteFailure(error)
          } else if let log {
            log.note($0)
          } else {
            logger.log($0, of: name)
          }
          calls.note($0)
        })
      return ServedSource(
        reader: reader,
        binding: SourceBinding(
          name: name, patterns: fitting.patterns, reader: reader, kind: settings.kind,
          calls: calls, raw: rawSource(name, settings, of: reader)),
        fileLog: log)
    } catch {
      throw .store(error)
    }
  }

  /// The merged sources of a configuration, over the readers of their parts.
  ///
  /// - Throws: `.badValue` where two realms of parts cannot be distinguished.
  func merged(
    _ configuration: Configuration, over reader: (String) -> FeedReader?
  ) throws(AssemblyError) -> [SourceBinding] {
    var bindings: [SourceBinding] = []
    for (name, merged) in configuration.mergedSources {
      let parts = merged.parts.compactMap { name, part -> MergedPart? in
        // The configuration was checked.
        guard let feed = try? configuration.feed(named: part.feed),
          let reader = reader(feed.source)
        else { return nil }
        return MergedPart(
          name: name, feed: feed, source: reader, isOptional: part.isOptional,
          lag: part.lagSeconds.map { .seconds($0) })
      }
      guard let source = MergedSource(name: name, of: parts, time: time) else {
        throw .badValue(
          key: "sources.\(name).parts", reason: "two sources need other names to be merged")
      }
      bindings.append(
        SourceBinding(name: name, patterns: [source.pattern], reader: source, kind: .merged))
    }
    return bindings
  }

  /// What settings come to; nil where they ask no upstream.
  func fitting(_ settings: Configuration.Source) -> SourceParts? {
    switch settings {
    case .qiita(let qiita):
      SourceParts(
        policy: policy(qiita.policy, openings: qiita.newFeedShare),
        fetcher: ListFetcher(qiita.recipe, client: client, clock: time, limits: limits),
        patterns: settings.patterns)
    case .http(let http):
      SourceParts(
        policy: policy(http.policy, openings: http.newFeedShare),
        fetcher: ListFetcher(http.recipe, client: client, clock: time, limits: limits),
        patterns: settings.patterns)
    case .file(let file):
      SourceParts(
        policy: FileFetcher.policy,
        fetcher: FileFetcher(
          path: file.path, list: file.list, clock: time, bytesMax: limits.bodyBytesMax),
        patterns: settings.patterns)
    case .merged: nil
    }
  }

  /// What else of its upstream a source shows; nil for nothing.
  func rawSource(
    _ name: String, _ settings: Configuration.Source, of reader: FeedReader
  ) -> RawSource? {
    let (shown, recipe): (Configuration.Source.Raw?, Recipe?) =
      switch settings {
      case .qiita(let qiita): (qiita.raw, qiita.recipe)
      case .http(let http): (http.raw, http.recipe)
      case .file, .merged: (nil, nil)
      }
    guard let shown, let recipe, !shown.paths.isEmpty else { return nil }
    var bounds = RawLimits()
    bounds.bodyBytesMax = shown.maxBodyKilobytes << 10
    bounds.bytesMax = min(Int64(shown.maxMegabytes) << 20, raw.bytesMax)
    bounds.memoryBytesMax = min(bounds.memoryBytesMax, Int(clamping: bounds.bytesMax))
    bounds.variantsMax = shown.maxVariants
    let fetcher = RawFetcher(
      recipe, client: client, clock: time, limits: limits, sendsCredential: shown.sendsToken)
    let stored = settings.answersName(name)
    let cache = RawCache(
      source: stored, rules: shown.rules, limits: bounds, fetcher: fetcher, runner: reader,
      store: raw.store, sharing: membership?.sharing(of: name, storedAs: stored), time: time,
      executor: QueueExecutor(label: "tsugi.raw.\(name)"),
      report: { [logger, membership] error in
        if case .unreachable = error, let membership { return membership.noteFailure(error) }
        logger.error(
          "an answer is not kept", metadata: error.logged.merging(["source": "\(name)"]) { $1 })
      })
    membership?.follow(cache, of: name)
    return RawSource(
      cache: cache, paths: shown.paths, forwards: ForwardedFields(shown.forwards),
      types: Set(shown.types))
  }

  private func policy(_ policy: Policy, openings share: Double) -> Policy {
    var policy = policy
    policy.openingPermille = Int(share * 1000)
    return policy
  }
}

extension RawKeeping {
  /// Deletes answers of sources that are served no more, or by another configuration.
  func keepOnly(_ sources: [String: Configuration.Source], _ logger: Logger) {
    do throws(StoreError) {
      try store.purge(allBut: Set(sources.map { $0.value.answersName($0.key) }))
    } catch {
      logger.warning("former answers cannot be deleted", metadata: error.logged)
    }
  }
}

extension Configuration.Source {
  /// The name under which the raw route's answers are kept: those of another configuration are
  /// another's.
  func answersName(_ name: String) -> String {
    "\(name)#\(String(UInt64(bitPattern: answersFingerprint), radix: 36))"
  }

  /// What the source is served as.
  var kind: SourceBinding.Kind {
    switch self {
    case .qiita: .qiita
    case .file: .file
    case .merged: .merged
    case .http: .api
    }
  }
}
