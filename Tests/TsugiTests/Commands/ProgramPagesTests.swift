import Foundation
import Testing
import Upstream

@testable import tsugi

/// What of the program stays in memory once it serves.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramPagesTests {
  /// What proc(5) shows of one mapping, as far as it is read.
  private static func mapping(
    _ head: String, dirty: Int = 0, sharedDirty: Int = 0, swap: Int = 0
  ) -> String {
    """
    \(head)
    Size:                 64 kB
    Rss:                  64 kB
    Shared_Clean:         64 kB
    Shared_Dirty:    \(sharedDirty) kB
    Private_Clean:         0 kB
    Private_Dirty:   \(dirty) kB
    Anonymous:             0 kB
    Swap:            \(swap) kB
    SwapPss:               0 kB
    VmFlags: rd ex mr mw me

    """
  }

  private static let code = "1000-3000 r-xp 00000000 fe:00 77    /usr/bin/tsugi"

  @Test(arguments: [
    mapping(code, dirty: 4), mapping(code, sharedDirty: 4), mapping(code, swap: 4),
    mapping(code.replacing("r-xp", with: "rw-p")), mapping(code.replacing("r-xp", with: "rwxp")),
    mapping(code.replacing("r-xp", with: "r-xs")), mapping(code.replacing("r-xp", with: "---p")),
    mapping("1000-3000 r-xp 00000000 00:00 0   [vdso]"), mapping("1000-3000 r-xp 00000000 00:00 0"),
    mapping(code.replacing("1000-3000", with: "3000-3000")),
    mapping(code.replacing("1000-3000", with: "x-3000")), "", "\n", "words without sense",
  ])
  func leavesAllElseAlone(list: String) {
    #expect(ProgramPages.unchanged(in: list).isEmpty)
  }

  @Test func findsEveryUnchangedFile() {
    let data = "7f00-7fff r--p 00001000 fe:00 78    /usr/lib/a library with spaces.so"
    let list =
      Self.mapping(Self.code) + Self.mapping(Self.code, dirty: 1) + Self.mapping(data)
      + Self.mapping("9000-a000 rw-p 00000000 00:00 0   [heap]", dirty: 4)
    #expect(ProgramPages.unchanged(in: list) == [0x1000..<0x3000, 0x7f00..<0x7fff])
  }

  /// Of what was in memory when it began to listen most is files, and most of that goes.
  @Test func aServerLetsGoOfWhatItsStartNeeded() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--port", "0"])
    let url = try await address(of: serve)
    var memory = try serve.memory
    for _ in 0..<50 where memory.now * 4 > memory.most * 3 {
      try await Task.sleep(for: .milliseconds(100))
      memory = try serve.memory
    }
    #expect(memory.now * 4 <= memory.most * 3)
    // What it let go of is there when it is needed.
    let client = try UpstreamClient(version: "test")
    #expect(try await client.reply(from: "\(url)/v1/qiita/items").status == 200)
    await client.close()
    serve.signal(SIGTERM)
    #expect(await serve.exitCode() == 0)
  }
}
