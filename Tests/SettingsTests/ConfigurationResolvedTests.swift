import Testing

@testable import Settings

@Suite struct ConfigurationResolvedTests {
  private let secrets = ["key-number-one", "key-number-two", "the-token"]

  private func full() throws -> Configuration {
    try configuration(
      #"""
      {"server": {"apiKeys": ["key-number-one", "key-number-two"], "publicURL": "https://a.example",
        "allowedOrigins": ["*"], "trustedProxies": ["10.0.0.0/8"]},
       "store": {"path": "a \"b\" \\ \u0001 é"},
       "sources": {"z": {"kind": "file", "path": "/z.json"},
        "a": {"token": "${T}", "newFeedShare": 0.25}}}
      """#, ["T": "the-token"], directory: "/etc/tsugi")
  }

  @Test func printsTheContractsKeysInItsOrder() throws {
    let expected = """
      {
        "server": {
          "host": "127.0.0.1",
          "port": 8080,
          "publicURL": null,
          "apiKeys": [],
          "allowedOrigins": [],
          "allowedHosts": [],
          "explorer": "feeds",
          "requestsPerMinute": 0,
          "trustedProxies": [],
          "newFeedsPerMinute": 60,
          "maxConnections": 10000,
          "headerSeconds": 15,
          "idleSeconds": 75,
          "drainSeconds": 10
        },
        "store": {
          "path": "tsugi.sqlite",
          "url": null,
          "listenURL": null,
          "connections": 4,
          "localMegabytes": 4096,
          "migrate": true,
          "maxMegabytes": 4096,
          "maxFeeds": 10000,
          "tombstoneDays": 30
        },
        "upstream": {
          "waitMilliseconds": 5000,
          "timeoutSeconds": 30,
          "maxBodyMegabytes": 32
        },
        "sources": {
          "fruits": {
            "kind": "file",
            "path": "fruits.json",
            "id": "id",
            "order": "whole",
            "time": "rfc3339"
          },
          "qiita": {
            "kind": "qiita",
            "baseURL": "https://qiita.com/api/v2",
            "token": "<hidden>",
            "exposeOwner": false,
            "freshSeconds": 60,
            "staleSeconds": 86400,
            "recheckSeconds": 3600,
            "refreshSeconds": 10,
            "prefetchItems": 100,
            "reserveCalls": 5,
            "maxInFlight": 4,
            "newFeedShare": 0.5,
            "raw": null
          }
        }
      }

      """
    #expect(try configuration(exampleConfiguration, ["QIITA_TOKEN": "t"]).resolved() == expected)
  }

  @Test func secretsAreNeverPrinted() throws {
    let full = try full()
    var dumped = ""
    dump(full, to: &dumped)
    let texts = [full.resolved(), "\(full)", String(reflecting: full), dumped]
    for text in texts {
      #expect(text.contains("<hidden>"))
      for secret in secrets { #expect(!text.contains(secret)) }
    }
    let key = try #require(full.server.apiKeys.first)
    #expect(Mirror(reflecting: key).children.isEmpty)
  }

  @Test func readsAgainWhatItPrinted() throws {
    let full = try full()
    var printed = full.resolved()
    for secret in secrets {
      let place = try #require(printed.firstRange(of: "<hidden>"))
      printed.replaceSubrange(place, with: secret)
    }
    #expect(try configuration(printed, directory: "/elsewhere") == full)
  }

  @Test func refusesItsOwnHiddenSecrets() throws {
    let found = problems(try full().resolved())
    #expect(found.count == 3)
  }
}
