import ArgumentParser
import Feed
import HTTP
import Logging
import Proxy
import SQLiteStore
import Upstream

/// `tsugi serve`: the server itself.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the feeds of the configured sources until SIGINT or SIGTERM.",
    discussion: """
      Without a configuration it serves Qiita at http://127.0.0.1:8080/v1/qiita/items. Logs go to \
      standard error: text to a terminal, else one JSON object a line. SIGHUP has it read its \
      configuration again. A second signal ends it at once.

      Example: tsugi serve --config config.json --port 8080
      """)

  /// How long what was logged last is waited for to be written, at the end.
  private static let flushMilliseconds = 2_000

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: config.json where there is one).")
  var path: String?

  @Option(help: "Where to listen; wins over the configuration (default: 127.0.0.1).")
  var host: String?

  @Option(
    help:
      "The port; 0 for any that is free (0 to 65535); wins over the configuration (default: 8080).",
    transform: number(in: 0...65_535))
  var port: Int?

  @Flag(
    name: .customLong("demo"),
    help: ArgumentHelp(
      "Bring the built-in upstream, drifting, two sample files, and a store for the while."))
  var isDemo = false

  @Option(
    name: .customLong("demo-items"),
    help: "How many items the demo begins with (0 to 1000000; default: \(Demo.itemCountDefault)).",
    transform: number(in: 0...1_000_000))
  var demoItemCount: Int?

  @Flag(
    name: .customLong("access-log"),
    help: "Log every request that is answered, too; it makes hot answers slower.")
  var keepsAccessLog = false

  @Option(help: "How the log is written (default: text to a terminal, else json).")
  var logFormat: LogFormat?

  @Option(help: "What is logged: this level and what is graver.")
  var logLevel = LogThreshold(level: .info)

  func validate() throws {
    guard isDemo || demoItemCount == nil else {
      throw ValidationError("--demo-items is for --demo only")
    }
  }

  func run() async throws {
    let signals = ProcessSignals(hearsReload: true)
    let format = logFormat ?? .standard
    let output = LogOutput(as: format, from: logLevel.level, to: { StandardStream.error.write($0) })
    defer { output.flush(milliseconds: Serve.flushMilliseconds) }
    let logger = Logger(label: "tsugi", factory: output.handler)
    let overrides = Proxy.Configuration.Overrides(host: host, port: port)
    var configuration = try Configuration.load(path, overrides: overrides)
    logger.note(configuration.warnings)
    let demo = isDemo ? try Demo(itemCount: demoItemCount ?? Demo.itemCountDefault) : nil
    if let demo {
      demo.apply(to: &configuration)
      logger.info(
        "demo", metadata: ["upstream": "\(demo.baseURL)", "store": "\(demo.storePath)"])
    }
    // A file that was there must be there when it is read again: without it everybody may enter.
    let origin = Reloading.Origin(
      path: Configuration.place(path), overrides: overrides, demo: demo)
    do throws(CommandError) {
      try await serve(configuration, from: origin, until: signals, logger) { address in
        guard format == .text else { return }
        output.tell(Welcome(address, configuration, isDemo: demo != nil).lines)
      }
    } catch {
      await demo?.end()
      throw error
    }
    await demo?.end()
    logger.info("stopped")
  }

  /// The server's life: made from the inside out, run, and taken down in the opposite order.
  private func serve(
    _ configuration: Proxy.Configuration, from origin: Reloading.Origin,
    until signals: ProcessSignals, _ logger: Logger, listening: (Address) -> Void
  ) async throws(CommandError) {
    let database = try openStore(configuration.store, logger)
    defer { database.close() }
    let store = try steady(database, logger)
    let client = try makeClient()
    let assembly = SourceAssembly(
      configuration.upstream, client: client, store: store, logger: logger)
    var sources: [ServedSource] = []
    for (name, settings) in configuration.sources.sorted(by: { $0.key < $1.key }) {
      sources.append(try assembly.source(name, settings))
    }
    let bindings = sources.map(\.binding)
    await bindings.readFiles()
    let executor = QueueExecutor(label: "tsugi.caretaker")
    let caretaker = Caretaker(
      store: store, readers: bindings.map(\.reader), limits: Eviction.Limits(configuration.store),
      time: SystemTime(), executor: executor,
      report: { logger.note($0) })
    let requestLog = keepsAccessLog ? RequestLog(logger) : nil
    let server = ProxyServer(
      settings(configuration, requestLog, logger), sources: bindings, store: store, logger: logger)
    let address = try start(server, configuration.server)
    Precedence.grantToLoops()
    let care = Task(executorPreference: executor) { await caretaker.run() }
    let reloading = Reloading(
      Reloading.Parts(
        client: client, store: store, server: server, caretaker: caretaker, logger: logger),
      by: configuration, from: origin, sources: sources)
    let reloads = Task(executorPreference: executor) { await reloading.run(signals.reloads) }
    logger.info("listening", metadata: ["url": "http://\(address)", "version": "\(Tsugi.version)"])
    listening(address)
    ProgramPages.letGo()

    let name = await signals.wait()
    logger.info("draining", metadata: ["signal": "\(name)"])
    reloads.cancel()
    await server.drain()
    requestLog?.flush(milliseconds: Serve.flushMilliseconds)
    await reloads.value
    await client.close()
    care.cancel()
    await care.value
  }

  /// The server's settings, with as many connections as the process gets descriptors for.
  private func settings(
    _ configuration: Proxy.Configuration, _ requestLog: RequestLog?, _ logger: Logger
  ) -> ServerSettings {
    var settings = ServerSettings(configuration)
    settings.accessLog = requestLog?.note
    let descriptors = DescriptorLimit.raise(to: settings.limits.descriptors)
    settings.limits.fit(descriptors: descriptors)
    if settings.limits.connections < configuration.server.maxConnections {
      logger.warning(
        "fewer connections than maxConnections: the process may not open as many files",
        metadata: ["connections": "\(settings.limits.connections)", "files": "\(descriptors)"])
    }
    return settings
  }

  private func openStore(
    _ settings: Proxy.Configuration.Store, _ logger: Logger
  ) throws(CommandError) -> TimelineDatabase {
    do throws(StoreError) {
      let store = try TimelineDatabase(
        path: settings.path, bytesMax: Int64(settings.maxMegabytes) << 20, now: SystemTime().now,
        pause: Precedence.takePause)
      if let moved = store.setAside {
        logger.warning(
          "the store was damaged and set aside, a new one is begun",
          metadata: ["store": "\(settings.path)", "damaged": "\(moved)"])
      }
      return store
    } catch {
      throw .store(error)
    }
  }

  private func steady(
    _ database: TimelineDatabase, _ logger: Logger
  ) throws(CommandError) -> SteadyStore {
    do throws(StoreError) {
      return try SteadyStore(over: database, report: { logger.note($0) })
    } catch {
      throw .store(error)
    }
  }

  private func makeClient() throws(CommandError) -> UpstreamClient {
    do throws(FetchError) {
      return try UpstreamClient(version: Tsugi.version, pause: Precedence.takePause)
    } catch {
      throw .noClient(error)
    }
  }

  private func start(
    _ server: ProxyServer, _ settings: Proxy.Configuration.Server
  ) throws(CommandError) -> Address {
    do throws(ServerError) {
      return try server.start()
    } catch {
      throw .listen(error, host: settings.host, port: settings.port)
    }
  }
}
