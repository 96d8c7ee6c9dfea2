import Crowd
import Glibc
import Simulator
import Support
import Synchronization
import Testing

@testable import Proxy

@Suite struct RenderingBacklogTests {
  @Test func hasRoomForSoManyBytes() {
    let backlog = RenderingBacklog(bytesMax: 1_000)
    let places = [RenderingPlace(in: backlog), RenderingPlace(in: backlog)]
    places[0].enter(999)
    #expect(backlog.hasRoom(beside: 1))
    places[1].enter(1)
    #expect(!backlog.hasRoom(beside: 1))
    #expect(backlog.hasRoom(beside: 0))
    places[1].leave()
    places[1].leave()
    #expect(backlog.hasRoom(beside: 1))
    // What is there instead takes the place of what was.
    places[0].enter(1_000)
    #expect(!backlog.hasRoom(beside: 1))
    places[0].enter(500)
    #expect(backlog.hasRoom(beside: 1))
  }

  @Test func aPlaceThatIsLetGoCountsNoLonger() {
    let backlog = RenderingBacklog(bytesMax: 10)
    do {
      let place = RenderingPlace(in: backlog)
      #expect(place.take(10))
      #expect(!RenderingPlace(in: backlog).take(1))
      // What holds nothing needs no room.
      #expect(RenderingPlace(in: backlog).take(0))
      withExtendedLifetime(place) {}
    }
    #expect(RenderingPlace(in: backlog).take(1))
  }

  /// Who finds no room waits, and then has it whatever it is that it takes.
  @Test func whoWaitsIsLetInWhenThereIsRoom() async {
    let backlog = RenderingBacklog(bytesMax: 100)
    let full = RenderingPlace(in: backlog)
    full.enter(100)
    let order = Order()
    await withTaskGroup { group in
      for bytes in [64, 30, 30] {
        group.addTask {
          let place = RenderingPlace(in: backlog)
          await place.wait(for: bytes)
          order.bytes.withLock { $0.append(bytes) }
          #expect(place.take(bytes + 1))
        }
      }
      while backlog.waitingCount < 3 { await Task.yield() }
      #expect(order.bytes.withLock { $0 }.isEmpty)
      // Nobody passes those who wait.
      full.enter(99)
      full.leave()
    }
    #expect(Set(order.bytes.withLock { $0 }) == [64, 30])
    #expect(backlog.hasRoom(beside: 1))
    #expect(backlog.waitingCount == 0)
  }

  /// More is asked for at once than there is room for: each gets its own slice when its turn comes.
  @Test(arguments: ["", "&fields=body"])
  func whoFindsNoRoomIsAnsweredLater(_ fields: String) async throws {
    let world = World(
      WorldOptions(seed: 1, itemCount: 60, bodyBytes: 60_000, topSeconds: 1_700_000_000))
    try await Stand.run(try await Stand(world, time: HandClock())) { stand in
      let ids = try stand.client.walk("/v1/qiita/items?limit=20&fields=id").flatMap(\.ids)
      // Some ask for the same.
      let asked = ids.dropLast(20) + ids.prefix(25)
      let sockets = try asked.map { id in
        let socket = try connectedSocket(stand.client.port, receiveSeconds: 30)
        let target = "/v1/qiita/items?limit=20&startAfter=id:\(id)\(fields)"
        let head = "GET \(target) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        let request = Array(head.utf8)
        #expect(send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        return socket
      }
      for (number, socket) in sockets.enumerated() {
        let place = number % 40
        var bytes = readAll(socket)[...]
        let reply = try Client.takeReply(to: "GET", from: &bytes)
        #expect(try SliceReply(reply.body).ids == Array(ids[(place + 1)..<(place + 21)]))
      }
    }
  }

  private final class Order: Sendable {
    let bytes = Mutex<[Int]>([])
  }

  private func readAll(_ socket: Int32) -> [UInt8] {
    defer { close(socket) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(socket, &piece, piece.count), count > 0 { all += piece[..<count] }
    return all
  }
}
