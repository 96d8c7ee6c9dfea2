// One server as a whole. A configuration goes in; a `Node` opens the store, starts the upstream
// client, makes the sources and serves them. The command `tsugi serve` and every test that needs a
// whole server start one. Read next: `SourceAssembly` (a source), `Reloading` (a changed
// configuration).

import BufferedStore
package import Engine
package import Feed
package import HTTP
import Logging
package import Proxy
package import SQLiteStore
package import Settings
import Synchronization
import Upstream

/// One server: the store, the sources and the HTTP server over them.
///
/// ```swift
/// let node = try await Node(configuration, NodeOptions(version: "1", logger: logger))
/// let address = try await node.start()
/// // … serves …
/// await node.drain()
/// ```
package final class Node: Sendable {
  /// The store's file.
  package let database: TimelineDatabase
  /// What the sources read and write: the file behind its write buffer, or with what it is a copy
  /// of.
  package let store: any FeedStore
  /// Evicts feeds when the store is full.
  package let storeKeeper: StoreKeeper
  /// The HTTP server.
  package let server: ProxyServer
  /// The sources, as they were at the start.
  package let sources: [SourceBinding]
  private let client: UpstreamClient
  private let reloading: Reloading
  private let executor = QueueExecutor(label: "tsugi.storeKeeper")
  private let address: Address
  private let keepsStore: Bool
  /// What joins it with other servers; nil where it shares with none.
  private let membership: (any Membership)?
  private let tasks = Mutex(Tasks())

  /// What goes on until the node is drained.
  private struct Tasks {
    var storeKeeping: Task<Void, Never>?
    var reloads: Task<Void, Never>?
  }

  /// Opens the store, makes the sources and reads their files. Nothing listens yet.
  ///
  /// - Throws: `.store`, `.noClient`. Then nothing is left open.
  package init(
    _ configuration: Configuration, _ options: NodeOptions
  ) async throws(AssemblyError) {
    let logger = options.logger
    logger.log(configuration.warnings)
    keepsStore = options.keepsStore
    database = try Node.open(configuration.store, options)
    do throws(AssemblyError) {
      let time: any TimeSource
      membership = try joined(configuration, over: database, options)
      if let membership {
        (store, time) = (membership.store, membership.clock)
      } else {
        store = try Node.buffered(options.wrapStore(database), logger)
        time = options.time
      }
      client = try Node.client(options)
      let raw = RawKeeping(in: database, ofBytes: configuration.store.bytesMax)
      raw.keepOnly(configuration.sources, logger)
      let assembly = SourceAssembly(
        configuration.upstream, client: client, store: store, raw: raw,
        membership: membership, time: time, logger: logger)
      var served: [ServedSource] = []
      for (name, settings) in configuration.sources.sorted(by: { $0.key < $1.key }) {
        if let source = try assembly.source(name, settings) { served.append(source) }
      }
      sources =
        served.map(\.binding)
        + (try assembly.merged(configuration) { name in
          served.first { $0.binding.name == name }?.reader
        })
      await sources.readFiles()
      storeKeeper = StoreKeeper(
        store: store, readers: served.map(\.reader),
        limits: Eviction.Limits(configuration.store), time: time, executor: executor,
        report: { [membership] in
          if case .failed(let error) = $0, case .unreachable = error, let membership {
            membership.noteFailure(error)
          } else {
            logger.log($0)
          }
        })
      let read = { @Sendable [membership] (configuration: Configuration) in
        var settings = ServerSettings(configuration)
        if let membership {
          settings.sharedOpenings = { membership.wait(of: $0, perMinute: $1) }
        }
        settings.version = options.version
        settings.demo = options.demo
        return settings
      }
      var settings = read(configuration)
      options.adjust(&settings)
      address = settings.address
      server = ProxyServer(
        settings, sources: sources, store: store, time: time, logger: logger)
      reloading = Reloading(
        Reloading.Parts(
          client: client, store: store, raw: raw, server: server, storeKeeper: storeKeeper,
          membership: membership, settings: read, time: time, logger: logger),
        by: configuration, sources: served)
      await membership?.begin(served.map(\.reader))
    } catch {
      database.close()
      throw error
    }
  }

  /// Binds and starts: clients can connect when it returns. Returns the address it listens at.
  ///
  /// - Throws: `.listen`. Then the node is drained.
  package func start() async throws(AssemblyError) -> Address {
    let bound: Address
    do throws(ServerError) {
      bound = try server.start()
    } catch {
      await drain()
      throw .listen(error, host: address.host, port: address.port)
    }
    if keepsStore {
      let task = Task(executorPreference: executor) { [storeKeeper] in await storeKeeper.run() }
      tasks.withLock { $0.storeKeeping = task }
    }
    return bound
  }

  /// Reloads for each of `signals`, until the node is drained; see ``reload(_:)``. Called once.
  package func reload(
    at signals: AsyncStream<Void>, _ read: @escaping @Sendable () throws -> Configuration
  ) {
    let task = Task { [reloading] in
      for await _ in signals { await reloading.reload(read) }
    }
    tasks.withLock { $0.reloads = task }
  }

  /// Serves by another configuration from now on, as far as that needs no restart; the log says
  /// what changed. One that cannot be read or used is refused as a whole. `read` may block.
  package func reload(_ read: @escaping @Sendable () throws -> Configuration) async {
    await reloading.reload(read)
  }

  /// Stops accepting, finishes requests in progress within the drain time, closes the store. A
  /// reload in progress does not delay the first of these.
  package func drain() async {
    let (storeKeeping, reloads) = tasks.withLock { ($0.storeKeeping, $0.reloads) }
    reloads?.cancel()
    await server.drain()
    await reloads?.value
    await client.close()
    storeKeeping?.cancel()
    await storeKeeping?.value
    await membership?.end()
    database.close()
  }

  private static func open(
    _ settings: Configuration.Store, _ options: NodeOptions
  ) throws(AssemblyError) -> TimelineDatabase {
    do throws(StoreError) {
      let isCopy = settings.url != nil
      let database = try TimelineDatabase(
        path: settings.path, durability: options.durability, bytesMax: settings.bytesMax,
        now: options.time.now, isCopy: isCopy, pause: options.pause)
      if !isCopy, try database.isCopied {
        database.close()
        throw StoreError.failed(
          code: 0,
          message:
            "\(settings.path) is the local copy of a shared store: set another store.path, or "
            + "set store.url")
      }
      if let moved = database.setAside {
        options.logger.warning(
          "the store was damaged and set aside, a new one is begun",
          metadata: ["store": "\(settings.path)", "damaged": "\(moved)"])
      }
      return database
    } catch {
      throw .store(error)
    }
  }

  private static func buffered(
    _ store: any FeedStore, _ logger: Logger
  ) throws(AssemblyError) -> BufferedStore {
    do throws(StoreError) {
      return try BufferedStore(over: store, report: { logger.log($0) })
    } catch {
      throw .store(error)
    }
  }

  private static func client(_ options: NodeOptions) throws(AssemblyError) -> UpstreamClient {
    do throws(FetchError) {
      return try UpstreamClient(version: options.version, pause: options.pause)
    } catch {
      throw .noClient(error)
    }
  }
}
