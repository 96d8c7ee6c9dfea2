package import Bytes
package import Feed
package import HTTP
package import Upstream

/// What an operator may set: the contract's `config.json`, read and checked.
///
/// A `Configuration()` holds the defaults. `Configuration.read` makes one from a file's bytes, the
/// environment and the command line; it is pure, and reports every error together. Each key
/// stands in one table (`Configuration+Keys.swift`), which reads it, overrides it and prints it.
/// Read next: `Configuration+Reading.swift`.
package struct Configuration: Hashable, Sendable {
  /// How clients are served.
  package var server = Server()
  /// Where and how much is stored.
  package var store = Store()
  /// What holds for the calls of every source.
  package var upstream = Upstream()
  /// The sources by the name they have in `/v1/{source}`: 1 to 64 of `a-z`, `0-9`, `_`, `-`.
  package var sources: [String: Source] = ["qiita": .qiita(Source.Qiita())]

  /// What is without effect, for its operator to know: variables that override nothing.
  package var warnings: [Problem] = []

  /// The defaults: Qiita without a token, paths as they are.
  package init() {}
}

extension Configuration {
  /// How clients are served.
  package struct Server: Hashable, Sendable {
    /// The address listened on: numeric, IPv6 without brackets, or a name that resolves to one.
    package var host = "127.0.0.1"
    /// 0 to 65535; 0 lets the system choose.
    package var port = 8080
    /// What absolute links begin with, without a slash at the end; nil takes the request's host.
    package var publicURL: String?
    /// The keys that open the server; none lets everyone in.
    package var apiKeys: [Secret] = []
    /// Origins a browser may ask from, as browsers write them (`https://app.example`); `*` is any.
    package var allowedOrigins: [String] = []
    /// What `Host` may say, in lower case (`api.example`, `localhost:8080`); none allows any.
    package var allowedHosts: [String] = []
    /// How much of itself it shows on its page.
    package var explorer = Explorer.feeds
    /// Requests one address may make in a minute; 0 is no limit.
    package var requestsPerMinute = 0
    /// Who may say in a header on whose behalf a request comes.
    package var trustedProxies: [AddressRange] = []
    /// Feeds not yet stored that one address may open in a minute.
    package var newFeedsPerMinute = 60
    /// Connections open at the same time.
    package var maxConnections = 10_000
    /// From a head's first byte to its last. Seconds.
    package var headerSeconds = 15
    /// Between an answer and the next request. Seconds.
    package var idleSeconds = 75
    /// For requests in progress when the server stops. Seconds.
    package var drainSeconds = 10

    /// Whether it is reached from this machine alone.
    package var isLoopback: Bool {
      Peer(host).map(\.isLoopback) ?? (host.lowercased() == "localhost")
    }
  }

  /// How much of itself a server shows on its page.
  package enum Explorer: String, CaseIterable, Sendable {
    /// Nothing: there is no page.
    case off
    /// What its public JSON says.
    case feeds
    /// What its operator needs as well: how it stands, upstream calls, the feeds it stores.
    case all
  }

  /// Where and how much is stored.
  package struct Store: Hashable, Sendable {
    /// The database file, already resolved.
    package var path = "tsugi.sqlite"
    /// The PostgreSQL that several servers share, as libpq takes it; then the file is this server's
    /// copy of it. Nil for a server that shares with no other.
    package var url: Secret?
    /// Direct connection URL for `LISTEN`, bypassing a connection pooler; nil takes `url`.
    package var listenURL: Secret?
    /// Connections to it, besides the one for `LISTEN`.
    package var connections = 4
    /// The size of the copy above which feeds leave it. Megabytes of 1024 × 1024 bytes.
    package var localMegabytes = 4096
    /// Whether the server brings the tables there to what it needs.
    package var migrate = true
    /// The file size above which feeds are evicted. Megabytes of 1024 × 1024 bytes.
    package var maxMegabytes = 4096
    /// Feeds kept.
    package var maxFeeds = 10_000
    /// The bytes that the file may take here: of a copy others than of a store of its own.
    package var bytesMax: Int64 { Int64(url == nil ? maxMegabytes : localMegabytes) << 20 }
    /// The part of a store that raw answers may take at most: the rest is the feeds'.
    package static let answersShare: Int64 = 4
    /// How long it is remembered that an item has gone. Days.
    package var tombstoneDays = 30
  }

  /// What holds for the calls of every source.
  package struct Upstream: Hashable, Sendable {
    /// How long a request waits for the upstream when it does not say. Milliseconds.
    package var waitMilliseconds = 5000
    /// How long one call may take in all. Seconds.
    package var timeoutSeconds = 30
    /// The largest answer taken, inflated. Megabytes of 1024 × 1024 bytes.
    package var maxBodyMegabytes = 32
  }

  /// One source, by its `kind`.
  package enum Source: Hashable, Sendable {
    /// Qiita's API, or one that speaks as it does.
    case qiita(Qiita)
    /// A file of JSON, one feed.
    case file(File)
    /// Any paged API, by a recipe.
    case http(HTTP)
    /// One feed over several feeds of other sources.
    case merged(Merged)

    /// The settings of a source of kind `qiita`.
    package struct Qiita: Hashable, Sendable {
      /// Where the API begins.
      package var baseURL = BaseURL.qiita
      /// The access token for the source; nil for none.
      package var token: Secret?
      /// Whether the token's owner is shown: `authenticated_user/*`.
      package var exposeOwner = false
      /// The rules of freshness and thrift.
      package var policy = Policy()
      /// The part of an hour's calls that openings may use. 0 to 1.
      package var newFeedShare = 0.5
      /// What else of the API is shown; nil for nothing.
      package var raw: Raw?

      /// The defaults, without a token.
      package init() {}
    }

    /// The settings of a source of kind `http`.
    package struct HTTP: Hashable, Sendable {
      /// How the API is asked and read, its preset's keys among them.
      package var recipe: Recipe
      /// The rules of freshness and thrift.
      package var policy = Policy()
      /// The part of a period's calls that openings may use. 0 to 1.
      package var newFeedShare = 0.5
      /// What else of the API is shown; nil for nothing.
      package var raw: Raw?

      /// A source by its recipe.
      package init(recipe: Recipe) {
        self.recipe = recipe
      }
    }

    /// The settings of a source of kind `file`.
    package struct File: Hashable, Sendable {
      /// The file, already resolved.
      package var path: String
      /// Its elements' identity and order, and how the key of that is written.
      package var list = FileFetcher.list

      /// A source of the file at `path`.
      package init(path: String) {
        self.path = path
      }
    }
  }
}
