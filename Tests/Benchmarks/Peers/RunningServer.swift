import Foundation
import Glibc

/// A server under measurement: a process of its own, held to the first processor.
final class RunningServer {
  let name: String
  let port: Int
  private let child: Child
  private var isRunning = true

  /// The longest a server lives, in seconds, should this program be killed before it.
  private static let secondsMax = 3600

  /// Starts `command`, a shell's words, and waits until it answers `target`.
  init(
    _ name: String, port: Int, in directory: URL, _ command: String, after first: String = "true",
    answering target: String
  ) throws {
    self.name = name
    self.port = port
    let log = directory.appending(path: "\(name.replacing(" ", with: "-")).log")
    child = try Child(
      "\(first) && exec timeout \(RunningServer.secondsMax) \(command)", output: log,
      in: directory)
    for _ in 0..<200 {
      if let reply = try? RawReply(port: port, target), reply.status == 200 { return }
      usleep(50_000)
    }
    stop()
    throw Child.Failure(description: "\(name) does not answer, see \(log.path)")
  }

  deinit {
    stop()
  }

  func stop() {
    guard isRunning else { return }
    isRunning = false
    child.end()
  }

  /// The server, of whose own making other processes may be.
  var id: Int32 { processes.dropFirst().first ?? child.id }

  /// The server's processes, and the one that bounds its life.
  var processes: [Int32] {
    var found = [child.id]
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let parents = all.compactMap { Int32($0) }.compactMap { id in
      RunningServer.statistics(of: id).map { (id, Int32($0[1]) ?? 0) }
    }
    var index = 0
    while index < found.count {
      found += parents.filter { $0.1 == found[index] }.map(\.0)
      index += 1
    }
    return found
  }

  /// Seconds of processor time used so far, by user and system together.
  var processorSeconds: Double {
    let ticks = processes.compactMap(RunningServer.statistics).reduce(0.0) {
      $0 + (Double($1[11]) ?? 0) + (Double($1[12]) ?? 0)
    }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Memory in use, in bytes.
  var residentBytes: Int {
    let path = "/proc/\(id)/status"
    let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let kilobytes = status.firstMatch(of: /VmRSS:\s+([0-9]+)/).flatMap { Int($0.output.1) }
    return (kilobytes ?? 0) << 10
  }

  /// The fields of `/proc/ID/stat` behind the name: state, parent, and so on.
  private static func statistics(of id: Int32) -> [Substring]? {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    return text[text.index(end, offsetBy: 2)...].split(separator: " ")
  }
}

/// A port that is free now.
func freePort() -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  return withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      guard bind(descriptor, address, length) == 0,
        getsockname(descriptor, address, &length) == 0
      else { return 0 }
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin_port))
      }
    }
  }
}
