import Glibc

/// A thread of its own for one loop: it is there before anybody connects, and no pool decides
/// whether it ever runs.
enum LoopThread {
  private final class Work {
    let body: () -> Void

    init(_ body: @escaping () -> Void) {
      self.body = body
    }
  }

  /// Starts a thread that does `body` and ends. Throws `systemCall` where the system makes none, as
  /// at a limit of processes; then `body` is never done.
  static func start(_ body: sending @escaping () -> Void) throws(ServerError) {
    let work = Unmanaged.passRetained(Work(body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw .systemCall(name: "pthread_create", errno: code)
    }
  }
}
