private import CCurl
package import Feed

/// An HTTP client for upstreams over libcurl: one thread, connections kept, every limit set.
///
/// It sends GET, asks for gzip and inflates it, follows redirects within the same origin, and says
/// of a body that did not arrive whole that it is cut. What an answer means is the fetcher's.
///
/// The process must ignore SIGPIPE: libcurl leaves that to us where signals are not its own. A
/// flight takes up to its body limit, and once more while the page is cut into items; glibc gives
/// that back only where `M_MMAP_THRESHOLD` is fixed, for it grows with every large block freed.
package final class UpstreamClient: Sendable {
  // libcurl's own start is safe from any thread since 7.84, and here it happens once anyway.
  private static let globalCode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  private let loop: TransferLoop
  /// Yields to the event loops.
  let pause: @Sendable () -> Void

  /// A client that calls itself `Tsugi/<version>`. Its thread runs until it is closed or released;
  /// `pause` is called there before each transfer, and wherever a large answer is worked on: it may
  /// keep the thread for a moment.
  ///
  /// - Throws: `.unreachable` when libcurl cannot start.
  package init(
    version: String, pause: @escaping @Sendable () -> Void = {}
  ) throws(FetchError) {
    guard UpstreamClient.globalCode == CURLE_OK else {
      throw .unreachable(reason: words(for: UpstreamClient.globalCode))
    }
    loop = try TransferLoop(
      settings: TransferSettings(version: version), pause: pause)
    self.pause = pause
  }

  deinit { loop.close() }

  /// Asks for a URL and returns what came, within the limits. Does not block a thread.
  ///
  /// It goes on when the calling task is cancelled: others may wait for the same flight.
  func get(_ request: GetRequest, limits: TransferLimits) async -> Answer {
    await withCheckedContinuation { reply in
      loop.submit(TransferOrder(request: request, limits: limits, reply: reply))
    }
  }

  /// Fails the requests in progress, and all later ones, with `.unreachable`; returns when the
  /// client's thread has ended.
  package func close() async {
    loop.close()
    await loop.join()
  }
}
