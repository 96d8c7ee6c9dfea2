import Foundation
import Glibc
import Testing
import Upstream

/// Which threads of a server go first.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LoopPriorityTests {
  /// The niceness of a process's threads, those of event loops apart.
  private func niceness(of process: Int32) throws -> (loops: [Int], others: [Int]) {
    let tasks = "/proc/\(process)/task"
    var niceness: (loops: [Int], others: [Int]) = ([], [])
    for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      // A thread may end meanwhile.
      guard let stat = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8),
        let name = stat.split(separator: "(").dropFirst().first,
        let values = stat.split(separator: ")").last?.split(separator: " "), values.count > 16,
        let nice = Int(values[16])
      else { continue }
      if name.hasPrefix("tsugi.loop") {
        niceness.loops.append(nice)
      } else {
        niceness.others.append(nice)
      }
    }
    return niceness
  }

  @Test func whatWorksBesideTheLoopsGivesWay() async throws {
    let serve = try RunningCommand(["serve", "--demo", "--port", "0"])
    let url = try await address(of: serve)
    _ = try await UpstreamClient(version: "test").reply(from: "\(url)/v1/qiita/items?limit=5")
    let niceness = try niceness(of: serve.processID)
    #expect(!niceness.loops.isEmpty)
    let own = Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
    #expect(niceness.loops.allSatisfy { $0 == own }, "a loop's thread is nicer than it began")
    // The upstream's thread and the source's have worked for the request.
    #expect(niceness.others.filter { $0 == max(own, 10) }.count >= 2)
  }
}
