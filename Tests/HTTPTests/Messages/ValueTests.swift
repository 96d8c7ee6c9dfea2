import Support
import Testing

@testable import HTTP

@Suite struct FieldsTests {
  private let fields: Fields = ["Accept": "a", "X": "1", "accept": "b, c"]

  @Test func findsNamesInAnyLetterCase() {
    #expect(fields["ACCEPT"] == "a")
    #expect(fields["Accep"] == nil)
    #expect(fields.contains("x"))
  }

  /// Names that are as long as others, or longer by 64.
  @Test func tellsNamesApartWhateverTheirLength() {
    var fields = Fields()
    for count in [1, 2, 63, 64, 65, 128, 129] {
      fields.append(named: String(repeating: "a", count: count), "\(count)")
    }
    for count in 1...200 {
      let isThere = [1, 2, 63, 64, 65, 128, 129].contains(count)
      let name = String(repeating: "A", count: count)
      #expect(fields[name] == (isThere ? "\(count)" : nil))
      #expect(fields.list(name) == (isThere ? "\(count)" : nil))
      #expect(fields.contains(name) == isThere)
      #expect(fields[String(repeating: "b", count: count)] == nil)
    }
    fields.remove("a")
    #expect(fields["a"] == nil && !fields.contains("a") && fields["aa"] == "2")
  }

  @Test func joinsLinesOfOneName() {
    #expect(fields.values(of: "Accept") == ["a", "b, c"])
    #expect(fields.list("Accept") == "a, b, c")
    #expect(fields.list("Y") == nil)
  }

  @Test func setReplacesEveryLine() {
    var fields = fields
    fields.set("ACCEPT", "d")
    #expect(fields == ["X": "1", "ACCEPT": "d"])
    #expect(fields.map(\.name) == ["X", "ACCEPT"])
  }

  @Test func noValueBeginsALine() {
    var fields = Fields()
    fields.append("A", "b\r\nC: d\0\u{7F}é\t")
    #expect(fields["A"] == "b  C: d  é\t")
  }
}

@Suite struct PeerTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::1", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
    ("::ffff:192.0.2.1", "192.0.2.1"),
  ])
  func readsAndWritesAddresses(_ text: String, _ expected: String) {
    #expect(Peer(text)?.description == expected)
  }

  @Test(arguments: ["", "h", "1.2.3", "1.2.3.4:80", "[::1]"])
  func refusesWhatIsNoAddress(_ text: String) {
    #expect(Peer(text) == nil)
  }
}

@Suite struct AddressTests {
  @Test func writesAddressesAsURLsDo() {
    #expect("\(Address(host: "127.0.0.1", port: 80))" == "127.0.0.1:80")
    #expect("\(Address(host: "::1", port: 80))" == "[::1]:80")
  }
}

@Suite struct ConnectionTableTests {
  @Test func ticketIsWorthlessOnceItsConnectionHasGone() {
    var table = ConnectionTable()
    let first = table.insert(descriptor: 3, peer: .loopback)
    table.remove(first.slot)
    let second = table.insert(descriptor: 4, peer: .loopback)
    #expect(second.slot == first.slot)
    #expect(table.connection(first) == nil)
    #expect(table.connection(second)?.pointee.descriptor == 4)
    #expect(table.connection(Ticket(slot: 5000, generation: 0)) == nil)
  }

  @Test func idleConnectionIsSmall() {
    #expect(MemoryLayout<Connection>.stride <= 96)
  }
}

@Suite struct DeadlineWheelTests {
  @Test func deadlinesPassInAnyOrderAndAtAnyDistance() {
    var random = SeededGenerator(seed: 7)
    var table = ConnectionTable()
    var now: Int64 = 1_000_000
    var wheel = DeadlineWheel(now: now)
    var expected: [UInt32: Int64] = [:]
    for _ in 0..<2000 { _ = table.insert(descriptor: -1, peer: .loopback) }
    for _ in 0..<4000 {
      let slot = UInt32.random(in: 0..<2000, using: &random)
      let deadline = now + Int64.random(in: 0...80_000, using: &random)
      let isLifted = Int.random(in: 0..<10, using: &random) == 0
      wheel.set(isLifted ? .max : deadline, slot: slot, in: table)
      expected[slot] = isLifted ? nil : deadline
      now += Int64.random(in: 0...30, using: &random)
      for passed in wheel.expired(now: now, in: table) {
        let deadline = expected.removeValue(forKey: passed)
        #expect(deadline.map { $0 <= now } == true)
      }
      let late = expected.values.filter { $0 + 2 * DeadlineWheel.tickMilliseconds < now }
      #expect(late.isEmpty)
    }
    now += 100_000
    #expect(Set(wheel.expired(now: now, in: table)) == Set(expected.keys))
    #expect(wheel.milliseconds(from: now) == nil)
  }
}
