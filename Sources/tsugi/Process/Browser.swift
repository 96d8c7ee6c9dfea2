import Glibc

/// The browser of this machine's user.
enum Browser {
  /// The program that `BROWSER` names, else the system's own for opening an address; it goes on by
  /// itself, and nothing that it says is shown. Ends with 127 where there is none.
  private static let script = """
    for opener in "$BROWSER" xdg-open open; do
      [ -n "$opener" ] && command -v "$opener" >/dev/null 2>&1 || continue
      "$opener" "$1" </dev/null >/dev/null 2>&1 &
      exit 0
    done
    exit 127
    """

  /// Opens an address; false where there is no program that could.
  static func open(_ url: String) -> Bool {
    // The server's own handlers end with `exec`; what is ignored or blocked would not.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A group of its own, so that Ctrl-C ends the server and not the browser.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    let words: [String?] = ["sh", "-c", script, "sh", url, nil]
    let arguments = words.map { word in word.flatMap { strdup($0) } }
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", nil, &attributes, arguments, environ) == 0 else {
      return false
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return status == 0
  }
}
