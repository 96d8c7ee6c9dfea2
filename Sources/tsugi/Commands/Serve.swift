import ArgumentParser
import Assembly
import Feed
import HTTP
import Logging
import Proxy
import Settings
import Upstream

/// `tsugi serve`: the server itself.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the feeds of the configured sources until SIGINT or SIGTERM.",
    discussion: """
      Without a configuration it serves Qiita at http://127.0.0.1:8080/v1/qiita/items. Logs go to \
      standard error: text on a terminal, else one JSON object a line. SIGHUP reloads the \
      configuration. A second signal ends the server immediately.

      Example: tsugi serve --config config.json --port 8080
      """)

  /// How long what was logged last is waited for to be written, at the end.
  private static let flushMilliseconds = 2_000

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: config.json where there is one).")
  var path: String?

  @Option(help: "The address to listen on; overrides the configuration (default: 127.0.0.1).")
  var host: String?

  @Option(
    help:
      "The port, 0 to 65535; 0 chooses a free one; overrides the configuration (default: 8080).",
    transform: number(in: 0...65_535))
  var port: Int?

  @Flag(
    name: .customLong("demo"),
    help: ArgumentHelp(
      "Serve a built-in, drifting upstream and two sample files from a temporary store."))
  var isDemo = false

  @Option(
    name: .customLong("demo-items"),
    help: "How many items the demo begins with (0 to 1000000; default: \(Demo.itemCountDefault)).",
    transform: number(in: 0...1_000_000))
  var demoItemCount: Int?

  @Flag(
    name: .customLong("open"),
    help: "Open the page that shows the feeds in a browser ($BROWSER, or the system's).")
  var opensPage = false

  @Flag(
    name: .customLong("access-log"),
    help: "Log every request. Cached replies get slower.")
  var keepsAccessLog = false

  @Option(help: "How the log is written (default: text to a terminal, else json).")
  var logFormat: LogFormat?

  @Option(help: "Log this level and more severe ones.")
  var logLevel = LogThreshold(level: .info)

  func validate() throws {
    guard isDemo || demoItemCount == nil else {
      throw ValidationError("--demo-items is for --demo only")
    }
  }

  func run() async throws {
    let signals = ProcessSignals(handlesSIGHUP: true)
    let format = logFormat ?? .standard
    let output = LogOutput(as: format, from: logLevel.level, to: { StandardStream.error.write($0) })
    defer { output.flush(milliseconds: Serve.flushMilliseconds) }
    let logger = Logger(label: "tsugi", factory: output.handler)
    let demo = isDemo ? try Demo(itemCount: demoItemCount ?? Demo.itemCountDefault) : nil
    let input = ConfigurationInput(
      // A file that was there must be there when it is read again: without it everybody may enter.
      path: Configuration.place(path), overrides: .init(host: host, port: port), demo: demo)
    let outcome: Result<Void, any Error>
    do throws(any Error) {
      let configuration = try input.load()
      if opensPage, configuration.server.explorer == .off { throw CommandError.noPage }
      if let demo {
        logger.info(
          "demo", metadata: ["upstream": "\(demo.baseURL.text)", "store": "\(demo.storePath)"])
      }
      try await serve(configuration, input, until: signals, logger) { address in
        let welcome = Welcome(address, configuration, isDemo: demo != nil)
        if format == .text { output.tell(welcome.lines) }
        guard opensPage, let page = welcome.page, !Browser.open(page) else { return }
        logger.warning("no program here opens a page", metadata: ["url": "\(page)"])
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await demo?.end()
    if case .failure(CommandError.assembly(.badValue(let key, let reason))) = outcome {
      StandardStream.error.writeLine("\(key): \(reason)")
      throw Configuration.badCode
    }
    try outcome.get()
    logger.info("stopped")
  }

  /// The server's life: made, started, stopped.
  private func serve(
    _ configuration: Configuration, _ input: ConfigurationInput, until signals: ProcessSignals,
    _ logger: Logger, listening: (Address) -> Void
  ) async throws(CommandError) {
    let requestLog = keepsAccessLog ? RequestLog(logger) : nil
    var options = NodeOptions(version: Tsugi.version, logger: logger)
    options.pause = LoopPriority.yield
    if let demo = input.demo { options.demo = { demo.answer($0) } }
    options.adjust = { settings in
      settings.accessLog = requestLog?.note
      settings.fitDescriptors(logger)
    }
    do throws(AssemblyError) {
      let node = try await Node(configuration, options)
      let address = try await node.start()
      LoopPriority.enable()
      logger.info(
        "listening", metadata: ["url": "http://\(address)", "version": "\(Tsugi.version)"])
      node.reload(at: signals.reloads, input.read)
      listening(address)
      ProgramPages.release()

      let name = await signals.wait()
      logger.info("draining", metadata: ["signal": "\(name)"])
      await node.drain()
      requestLog?.flush(milliseconds: Serve.flushMilliseconds)
    } catch {
      throw .assembly(error)
    }
  }
}
