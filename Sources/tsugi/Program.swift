import ArgumentParser
import Glibc

#if os(Linux)
  import CMalloc
#endif

/// Where the process begins: what must hold before anything else runs, then the command.
@main
enum Program {
  static func main() async {
    #if os(Linux)
      // glibc raises this threshold with every large block that is freed, and then keeps windows
      // of 15 MB for good. Fixed, four of them at once peak at 107 MB instead of 154 MB, and
      // leave 19.5 MB behind instead of 111 MB.
      _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
    #endif
    StandardStream.openMissing()
    // A peer that hangs up is an error of one write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    await Tsugi.main()
  }
}
