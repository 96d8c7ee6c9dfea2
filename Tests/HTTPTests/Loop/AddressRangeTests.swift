import Testing

@testable import HTTP

@Suite struct AddressRangeTests {
  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false),
    ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("0.0.0.0/0", "203.0.113.9", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", true),
    ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
    ("::1", "::1", true), ("::1", "127.0.0.1", false), ("::1", "unknown", false),
    ("::1", "", false),
    ("10.0.0.0/8", "10.0.0.1\0", false),
  ])
  func containsItsAddresses(range: String, address: String, isInside: Bool) throws {
    let network = try #require(AddressRange(range))
    #expect(network.contains(address) == isInside)
  }
}
