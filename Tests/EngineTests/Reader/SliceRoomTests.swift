import Engine
import Feed
import History
import Synchronization
import Testing

@Suite struct SliceRoomTests {
  /// Has room only for whoever has waited.
  private final class Room: SliceRoom {
    let waited = Mutex<[Int]>([])
    let asked = Mutex<[Int]>([])

    func take(_ bytes: Int) -> Bool {
      asked.withLock { $0.append(bytes) }
      return waited.withLock { !$0.isEmpty } || bytes == 0
    }

    func wait(for bytes: Int) async {
      waited.withLock { $0.append(bytes) }
    }
  }

  @Test(arguments: [0, 1, 25])
  func aSliceThatWasWaitedForComesWhenThereIsRoom(count: Int) throws {
    let rig = try Rig()
    rig.fill(count)
    let (reader, request, room) = (rig.reader, rig.request(), Room())
    let slices = Mutex<[Slice]>([])
    rig.time.run {
      guard let slice = try? await reader.slice(request, permit: nil, room: room) else { return }
      slices.withLock { $0.append(slice) }
    }
    let slice = try #require(slices.withLock { $0.first })
    #expect(slice.items.count == min(count, request.limit))
    // Read twice, and waited for once, with nothing in hand.
    let bytes = slice.items.byteCount
    #expect(room.asked.withLock { $0 } == (bytes == 0 ? [0] : [bytes, bytes]))
    #expect(room.waited.withLock { $0 } == (bytes == 0 ? [] : [bytes]))
    #expect(rig.feed.calls.count == 1)
  }
}
