// swift-tools-version: 6.2

import PackageDescription

/// Every target of ours: a warning is an error, and nothing is imported that is not named. An app
/// that builds the client elsewhere shall not stumble over what another SDK warns of.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error, .when(platforms: [.linux])),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// What works in most tests is optimized in a debug build too, where they take half the processor
/// time. `TSUGI_UNOPTIMIZED=1 swift build` leaves it for a debugger as it is written. Nothing that
/// an app imports: its own build decides.
let quick: [SwiftSetting] =
  Context.environment["TSUGI_UNOPTIMIZED"] != nil
  ? strict : strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

func target(
  _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name), "Support"] + dependencies,
    swiftSettings: strict)
}

func system(_ name: String, package: String, debian: String) -> Target {
  .systemLibrary(name: name, pkgConfig: package, providers: [.apt([debian])])
}

/// What another package has, for all but the client.
func foreign(_ name: String, package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Server", "PostgreSQL"]))
}

/// A target that only a build with the trait PostgreSQL has.
func shared(_ name: String) -> Target.Dependency {
  .target(name: name, condition: .when(traits: ["PostgreSQL"]))
}

let argumentParser = foreign("ArgumentParser", package: "swift-argument-parser")
let logging = foreign("Logging", package: "swift-log")

let package = Package(
  name: "Tsugi",
  // What an app imports builds for these; the server is for Linux.
  platforms: [.iOS(.v17), .macOS(.v14), .tvOS(.v17), .visionOS(.v1), .watchOS(.v10)],
  products: [
    .executable(name: "tsugi", targets: ["tsugi"]),
    // What an app imports, and what its own tests do.
    .library(name: "TsugiClient", targets: ["TsugiClient"]),
    .library(name: "TsugiStore", targets: ["TsugiStore"]),
    .library(name: "TsugiClientTesting", targets: ["TsugiClientTesting"]),
  ],
  traits: [
    // One alone: each becomes a flag of the compiler, in an order by chance, and another order
    // builds all once more. An app turns it off, by `traits: []`, and fetches no other package.
    .default(enabledTraits: ["PostgreSQL"]),
    .trait(name: "PostgreSQL", description: "The server, and several on one PostgreSQL."),
    // A server for itself alone, without libpq:
    // swift build --product tsugi --disable-default-traits --traits Server
    .trait(name: "Server", description: "The server alone."),
  ],
  dependencies: [
    // Subcommands, flags, help and exit codes as every command line user expects them.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    // The ecosystem's logging front: a library that embeds the server brings its own backend.
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    // The system's libraries, each behind a module map. SQLite is where every compiler finds it, on
    // a phone too: pkg-config would bring the flags of another one.
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    // What several servers share: the client library that comes with PostgreSQL, and with it URLs,
    // password files, TLS and several hosts as every operator knows them.
    system("CPostgreSQL", package: "libpq", debian: "libpq-dev"),
    system("CZlib", package: "zlib", debian: "zlib1g-dev"),
    system("CCurl", package: "libcurl", debian: "libcurl4-openssl-dev"),
    .systemLibrary(name: "CEpoll"),
    .systemLibrary(name: "CMalloc"),

    // The pure centre: rules on values, no clock, no file, no socket.
    target("Bytes", [], quick),
    target("JSONBytes", ["Bytes"], quick),
    target("Feed", ["Bytes"], quick),
    target("Wire"),
    // What RFC 9111 lets a shared cache keep and serve: rules on fields and times, and what the
    // raw route asks of who performs them.
    target("Freshness", ["Bytes", "Feed"], quick),

    // Performs the rules: who reads feeds, and what keeps writes that a full disk refuses.
    target("Engine", ["Feed"], quick),
    target("BufferedStore", ["Feed"], quick),
    // What else an upstream has, kept by the rules of a shared cache.
    target("RawCache", ["Feed", "Freshness"], quick),
    // One feed over several, decided by rules and performed through what reads each.
    target("Merge", ["Bytes", "Feed"], quick),

    // The adapters around it. The stores see each other, no other adapter does.
    target("SQLiteStore", ["Feed", "Freshness", "CSQLite"], quick),
    // What several servers share, with a file of SQLite as each one's copy.
    target("SharedStore", ["Feed", "SQLiteStore"], quick),
    target(
      "PostgreSQLStore", ["Feed", "Freshness", "JSONBytes", "SharedStore", "CPostgreSQL"], quick),
    target("Upstream", ["Bytes", "Feed", "Freshness", "JSONBytes", "CCurl", "CZlib"], quick),
    // Looks at an API, and writes down its recipe.
    target("Probe", ["Bytes", "Feed", "Freshness", "JSONBytes", "Upstream"]),
    target("HTTP", ["Bytes", "CEpoll"], quick),

    // What an operator may set, read into the adapters' own types.
    // The recipes that come with it are files, embedded.
    .target(
      name: "Settings",
      dependencies: ["Bytes", "Feed", "Freshness", "HTTP", "JSONBytes", "Upstream"],
      resources: [
        "datasette", "drf-cursor", "drf-offset", "drf-page", "fastapi-pagination", "forem",
        "github", "gitlab", "hackernews", "mastodon", "qiita", "redmine", "stackexchange", "stripe",
        "wordpress", "zenn",
      ].map { .embedInCode("Recipes/\($0).json") },
      swiftSettings: strict),

    // The page that shows it: HTML, CSS and JavaScript as they are, embedded by the C compiler in
    // no time, which takes half a minute in Swift.
    .target(name: "CExplorer"),
    // What joins them.
    target(
      "Proxy",
      [
        "Bytes", "Feed", "Freshness", "Wire", "HTTP", "JSONBytes", "CMalloc", "CZlib", logging,
      ], quick),
    // Several servers on one PostgreSQL.
    target(
      "Sharing",
      [
        "Bytes", "Engine", "Feed", "Freshness", "PostgreSQLStore", "Proxy", "SQLiteStore",
        "Settings", "SharedStore", logging,
      ]),
    // Puts a whole server together, for the command and for tests.
    target(
      "Assembly",
      [
        "BufferedStore", "Bytes", "CExplorer", "Engine", "Feed", "Freshness", "Merge", "RawCache",
        "SQLiteStore", "Upstream", "HTTP", "Settings", "Proxy", logging, shared("Sharing"),
      ]),
    target("Simulator", ["Bytes", "HTTP", "JSONBytes"], quick),
    .executableTarget(
      name: "tsugi",
      dependencies: [
        "Assembly", "Bytes", "Feed", shared("PostgreSQLStore"), shared("Sharing"), "Upstream",
        "HTTP", "Wire", "Settings", "Probe", "Proxy", "Simulator", "JSONBytes", "CMalloc",
        argumentParser, logging,
      ],
      swiftSettings: strict),

    // What an app imports: nothing of the server is below it.
    target("TsugiClient", ["Wire"]),
    target("TsugiClientTesting", ["TsugiClient"]),
    // One store on disk for all lists of an app.
    target("TsugiStore", ["TsugiClient", "CSQLite"]),

    // Twenty rows of a million through the store's reader, against the same SQL asked from C.
    .target(
      name: "StoreInC", path: "Tests/Benchmarks/StoreInC",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "StoreBenchmark", dependencies: ["Feed", "SQLiteStore", "StoreInC", "Support"],
      path: "Tests/Benchmarks/Store", swiftSettings: strict),

    // Measurements, each a command of its own: swift run -c release SplitBenchmark
    .executableTarget(
      name: "SplitBenchmark", dependencies: ["JSONBytes", "Simulator"],
      path: "Tests/Benchmarks/Split", swiftSettings: strict),
    .executableTarget(
      name: "FieldsBenchmark", dependencies: ["JSONBytes", "Simulator"],
      path: "Tests/Benchmarks/Fields", swiftSettings: strict),

    .executableTarget(
      name: "ListBenchmark", dependencies: ["TsugiClient", "TsugiClientTesting", "TsugiStore"],
      path: "Tests/Benchmarks/List", swiftSettings: strict),

    // What is held against a history, free of every type of the engine.
    .target(name: "Judge", path: "Tests/Judge", swiftSettings: quick),
    // One seed, one history: an upstream that moves and fails, readers, restarts, a clock by hand.
    .target(
      name: "History",
      dependencies: [
        "BufferedStore", "Bytes", "Engine", "Feed", "Judge", "Merge", "SQLiteStore", "SharedStore",
        "Support",
      ],
      path: "Tests/History",
      swiftSettings: quick),
    .executableTarget(
      name: "PlayHistories", dependencies: ["History", argumentParser],
      path: "Tests/HistoryCommand", exclude: ["golden"], swiftSettings: strict),

    // A process that writes to a store until it is killed, for the store's tests.
    .executableTarget(
      name: "StoreWriter",
      dependencies: ["Feed", "SQLiteStore", "CSQLite", "History", "Support"],
      path: "Tests/StoreWriter", swiftSettings: strict),

    // What is fuzzed, for libFuzzer and for the tests that replay its corpus: Tests/Fuzzing/run
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Bytes", "Feed", "Freshness", "HTTP", "JSONBytes", "PostgreSQLStore", "Proxy", "Settings",
        "Support", "Upstream",
      ],
      path: "Tests/Fuzzing/Targets", swiftSettings: strict),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Fuzz",
      swiftSettings: strict),
    .testTarget(
      name: "FuzzingTests", dependencies: ["FuzzTargets", "History", "Support"],
      path: "Tests/Fuzzing/Tests",
      swiftSettings: strict),

    // Clients that mean no good, for the tests and the benchmark of the server among them.
    .target(name: "Crowd", path: "Tests/Crowd", swiftSettings: quick),
    .executableTarget(
      name: "AttackServer", dependencies: ["Crowd", "HTTP", argumentParser],
      path: "Tests/AttackCommand", exclude: ["run"], swiftSettings: strict),

    // The server beside nginx, Varnish, HAProxy and a C program with the same bytes.
    .executableTarget(name: "PeerInC", path: "Tests/Benchmarks/PeerInC"),
    .executableTarget(
      name: "PeersBenchmark", dependencies: ["Crowd", "HTTP", "Simulator"],
      path: "Tests/Benchmarks/Peers", swiftSettings: strict),

    // What the tests of several targets need.
    .target(
      name: "Support", dependencies: ["Feed"], path: "Tests/Support", swiftSettings: quick),

    tests(of: "Bytes"),
    tests(of: "JSONBytes"),
    tests(of: "Feed", ["Bytes", "History"]),
    tests(of: "Engine", ["BufferedStore", "Bytes", "Feed", "History"]),
    tests(of: "History", ["Judge", "PlayHistories"]),
    tests(of: "Merge", ["Bytes", "Engine", "Feed"]),
    tests(of: "Wire"),
    tests(of: "Freshness"),
    tests(of: "RawCache", ["Feed", "Freshness"]),
    tests(
      of: "SQLiteStore",
      ["Feed", "Freshness", "CSQLite", "History", "RawCache", "StoreWriter"]),
    tests(of: "SharedStore", ["Engine", "Feed", "History", "SQLiteStore"]),
    tests(of: "PostgreSQLStore", ["Feed", "Freshness", "History", "SQLiteStore", "SharedStore"]),
    tests(
      of: "Upstream",
      [
        "Bytes", "Engine", "Feed", "Freshness", "History", "JSONBytes", "HTTP", "Probe", "Settings",
        "Simulator",
      ]),
    tests(
      of: "Probe", ["Feed", "Freshness", "HTTP", "JSONBytes", "Settings", "Simulator", "Upstream"]),
    tests(of: "Sharing", ["Feed"]),
    tests(of: "HTTP"),
    tests(
      of: "Assembly",
      [
        "Crowd", "Feed", "HTTP", "JSONBytes", "PostgreSQLStore", "Proxy", "SQLiteStore", "Settings",
        logging,
      ]),
    tests(of: "Settings", ["Bytes", "Feed", "HTTP", "JSONBytes", "Upstream"]),
    tests(of: "Simulator", ["Bytes", "HTTP", "JSONBytes"]),
    tests(
      of: "Proxy",
      [
        "Assembly", "Bytes", "Engine", "Feed", "Freshness", "Wire", "HTTP", "RawCache",
        "SQLiteStore", "Settings",
        "Upstream",
        "Simulator", "JSONBytes", "History", "Crowd", logging,
      ]),
    tests(
      of: "TsugiClient",
      [
        "TsugiClientTesting", "TsugiStore", "Assembly", "Bytes", "Wire", "Feed", "HTTP", "History",
        "Proxy",
        "SQLiteStore", "Settings", "Simulator", "Upstream", logging,
      ]),
    tests(of: "TsugiStore", ["TsugiClient", "TsugiClientTesting", "CSQLite"]),
    .testTarget(
      name: "TsugiTests",
      dependencies: [
        "tsugi", "Assembly", "Bytes", "Crowd", "Feed", "HTTP", "JSONBytes", "Simulator", "Support",
        "Upstream",
        argumentParser, logging,
      ],
      swiftSettings: strict),
    // It reads every file of the package.
    .testTarget(name: "StyleTests", dependencies: ["Support"], swiftSettings: quick),
  ],
  swiftLanguageModes: [.v6],
  // The page is embedded (C23 §6.10.4).
  cLanguageStandard: .gnu2x
)
