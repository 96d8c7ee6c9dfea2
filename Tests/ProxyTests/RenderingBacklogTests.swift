import Crowd
import Glibc
import Simulator
import Testing

@testable import Proxy

@Suite struct RenderingBacklogTests {
  @Test func hasRoomForSoManyBytes() {
    let backlog = RenderingBacklog()
    backlog.begin(RenderingBacklog.bytesMax - 1)
    #expect(backlog.hasRoom(beside: 1))
    backlog.begin(1)
    #expect(!backlog.hasRoom(beside: 1))
    #expect(backlog.hasRoom(beside: 0))
    backlog.end(1)
    #expect(backlog.hasRoom(beside: 1))
  }

  /// More is asked for at once than there is room for: each gets its own slice when its turn comes.
  @Test(arguments: ["", "&fields=body"])
  func whoFindsNoRoomIsAnsweredLater(_ fields: String) async throws {
    let world = World(
      WorldOptions(seed: 1, itemCount: 60, bodyBytes: 60_000, topSeconds: 1_700_000_000))
    try await Stand.run(try Stand(world, time: HandClock())) { stand in
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

  private func readAll(_ socket: Int32) -> [UInt8] {
    defer { close(socket) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(socket, &piece, piece.count), count > 0 { all += piece[..<count] }
    return all
  }
}
