import Foundation
import Glibc

/// A process of a shell's command, its output in a file.
///
/// Foundation's `Process` waits for whatever inherits its descriptors, which servers do.
struct Child {
  let id: pid_t

  init(_ command: String, output: URL, in directory: URL? = nil) throws {
    let place = directory.map { "cd '\($0.path)' && " } ?? ""
    let words = ["sh", "-c", "\(place)\(command)"]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(
      &actions, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var id: pid_t = 0
    guard posix_spawn(&id, "/bin/sh", &actions, nil, &arguments, environ) == 0 else {
      throw Failure(description: "cannot start \(command)")
    }
    self.id = id
  }

  /// Waits for its end.
  func wait() {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
  }

  /// Ends it, and what it bounds with it.
  func end() {
    kill(id, SIGTERM)
    wait()
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }
}

/// What a command of the shell writes.
func output(of command: String) throws -> String {
  let file = FileManager.default.temporaryDirectory.appending(path: "peers-output-\(getpid())")
  defer { unlink(file.path) }
  try Child("exec \(command)", output: file).wait()
  return try String(contentsOf: file, encoding: .utf8)
}
