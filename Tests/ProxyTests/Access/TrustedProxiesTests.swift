import HTTP
import Testing

@testable import Proxy

/// Who makes a request, whatever a client writes into the fields of proxies.
@Suite struct TrustedProxiesTests {
  private func client(
    of peer: String, _ forwardedFor: String?, hasForwarded: Bool = false, trusted: [String]
  ) throws -> ClientAddress {
    let proxies = TrustedProxies(try trusted.map { try #require(AddressRange($0)) })
    return proxies.client(
      behind: try #require(Peer(peer)), forwardedFor: forwardedFor, hasForwarded: hasForwarded)
  }

  @Test(
    arguments: [
      ("192.0.2.1", "198.51.100.7", "192.0.2.1"), ("10.0.0.1", nil, "10.0.0.1"),
      ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
      ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
      ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
      ("10.0.0.1", "203.0.113.9 ,\t198.51.100.7 , 10.0.0.2", "198.51.100.7"),
      ("10.0.0.1", "203.0.113.9, ::ffff:10.0.0.3,[::ffff:10.0.0.2]:80", "203.0.113.9"),
      ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"), ("10.0.0.1", "", "10.0.0.1"),
      ("10.0.0.1", "203.0.113.9:4711", "203.0.113.9"), ("10.0.0.1", "[2001:db8::7]", "2001:db8::7"),
      ("10.0.0.1", "[2001:db8::7]:443, 10.0.0.2:80", "2001:db8::7"),
      ("10.0.0.1", "203.0.113.9:", "10.0.0.1"), ("10.0.0.1", "[", "10.0.0.1"),
      ("10.0.0.1", "203.0.113.9:65536", "10.0.0.1"), ("10.0.0.1", "[203.0.113.9]:80", "10.0.0.1"),
      ("10.0.0.1", "[2001:db8::7]x", "10.0.0.1"), ("10.0.0.1", "203.0.113.9 x", "10.0.0.1"),
      ("10.0.0.1", "203.0.113.9,", "10.0.0.1"), ("10.0.0.1", "unix:", "10.0.0.1"),
      ("10.0.0.1", "198.51.100.7, nonsense, 10.0.0.2", "10.0.0.2"),
      ("10.0.0.1", "203.0.113.9" + String(repeating: ", 10.0.0.2", count: 1_000), "203.0.113.9"),
    ] as [(String, String?, String)])
  func theLastAddressThatNoTrustedProxyHasIsTheClients(
    peer: String, forwardedFor: String?, expected: String
  ) throws {
    let client = try client(of: peer, forwardedFor, trusted: ["10.0.0.0/8"])
    #expect(client.peer.description == expected)
  }

  @Test(
    arguments: [
      ("127.0.0.1", nil, true), ("::1", nil, true), ("::ffff:127.9.9.9", nil, true),
      ("192.0.2.1", nil, false), ("192.0.2.1", "127.0.0.1", false), ("::", nil, false),
      // Passed on by a proxy that the configuration does not name.
      ("127.0.0.1", "203.0.113.9", false), ("127.0.0.1", "127.0.0.1", false),
      ("127.0.0.1", "", false),
    ] as [(String, String?, Bool)])
  func withoutTrustedProxiesOnlyADirectRequestIsLocal(
    peer: String, forwardedFor: String?, isLocal: Bool
  ) throws {
    #expect(try client(of: peer, forwardedFor, trusted: []).isLocal == isLocal)
  }

  @Test(
    arguments: [
      (nil, false), ("127.0.0.1", true), (" 127.0.0.1 , [::1]:80", true),
      ("::ffff:127.0.0.1", true), ("127.0.0.1:4711", true), ("203.0.113.9", false),
      ("127.0.0.1, 203.0.113.9", false), ("203.0.113.9, 127.0.0.1", false), ("", false),
      ("unknown", false), ("127.0.0.1,", false), ("unix:", false), ("localhost", false),
      ("::127.0.0.1", false), ("0.0.0.0", false), ("127.1", false), ("nonsense, 127.0.0.1", false),
    ] as [(String?, Bool)])
  func behindATrustedProxyARequestIsLocalWhereItsWholeWayIs(
    forwardedFor: String?, isLocal: Bool
  ) throws {
    #expect(try client(of: "127.0.0.1", forwardedFor, trusted: ["127.0.0.1"]).isLocal == isLocal)
  }

  /// The loopback address that another machine names is that machine's.
  @Test func behindAnotherMachineNoRequestIsLocal() throws {
    #expect(try !client(of: "10.0.0.1", "127.0.0.1", trusted: ["10.0.0.0/8"]).isLocal)
    #expect(
      try !client(of: "127.0.0.1", "127.0.0.1, 10.0.0.1", trusted: ["127.0.0.1", "10.0.0.1"])
        .isLocal)
  }

  /// A proxy that writes only one of the two fields passes on the other as its client made it up.
  @Test(arguments: [[], ["127.0.0.1"]], [nil, "127.0.0.1"])
  func aRequestWithForwardedIsNotLocal(trusted: [String], forwardedFor: String?) throws {
    #expect(
      try !client(of: "127.0.0.1", forwardedFor, hasForwarded: true, trusted: trusted).isLocal)
  }

  @Test func forwardedNamesNoClient() throws {
    let client = try client(
      of: "127.0.0.1", "203.0.113.9", hasForwarded: true, trusted: ["127.0.0.1"])
    #expect(client.peer.description == "203.0.113.9")
  }
}
