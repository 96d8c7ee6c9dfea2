import ArgumentParser
import Glibc

#if os(Linux)
  import CMalloc
  import HTTP
#endif

/// The entry point: process-wide settings, then the command.
@main
enum Program {
  static func main() async {
    #if os(Linux)
      // glibc raises this threshold with every large block that is freed, and then keeps windows of
      // 15 MB permanently. Fixed, four of them at the same time peak at 107 MB instead of 154 MB,
      // and leave 19.5 MB behind instead of 111 MB.
      _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
      // An arena keeps what was freed in it, and glibc makes eight a processor: with two on a
      // processor and a half, 300 clients that leave large slices unread peak at 160 MB instead of
      // 240 MB. The loops do not hinder each other: each may have one.
      _ = mallopt(M_ARENA_MAX, Int32(max(2, Processors.count)))
    #endif
    StandardStream.openMissing()
    // A peer that hangs up is an error of one write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    if let question = Tsugi.question(for: Array(CommandLine.arguments.dropFirst())) {
      StandardStream.error.writeLine(question)
    }
    await Tsugi.main()
  }
}
