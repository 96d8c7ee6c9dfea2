internal import CCurl
internal import Feed

/// libcurl's easy handle: the options and the state of one transfer.
struct EasyHandle: ~Copyable {
  /// Names a handle among those of one ``MultiHandle``.
  typealias Key = UnsafeMutableRawPointer

  fileprivate let pointer: UnsafeMutableRawPointer

  /// A handle with libcurl's own defaults.
  ///
  /// - Throws: `.unreachable` when there is no memory.
  init() throws(FetchError) {
    guard let pointer = curl_easy_init() else { throw .unreachable(reason: "out of memory") }
    self.pointer = pointer
  }

  deinit { curl_easy_cleanup(pointer) }

  /// The handle's name while it exists.
  var key: Key { pointer }

  /// Sets an option that takes a `long`.
  func set(_ option: CURLoption, _ value: Int) throws(FetchError) {
    try check(ccurl_easy_setopt_long(pointer, option, value))
  }

  /// Sets an option that takes a `curl_off_t`.
  func setOffset(_ option: CURLoption, _ value: Int) throws(FetchError) {
    try check(ccurl_easy_setopt_offset(pointer, option, value))
  }

  /// Sets an option that takes a text, which libcurl copies.
  func set(_ option: CURLoption, _ value: String) throws(FetchError) {
    try check(ccurl_easy_setopt_text(pointer, option, value))
  }

  /// Sets the header lines; the list must live as long as the handle.
  func set(_ option: CURLoption, _ value: borrowing HeaderList) throws(FetchError) {
    try check(ccurl_easy_setopt_list(pointer, option, value.pointer))
  }

  /// Sets what a callback is given; it must live as long as the handle.
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) throws(FetchError) {
    try check(ccurl_easy_setopt_pointer(pointer, option, value))
  }

  /// Sets a callback that takes received bytes.
  func set(_ option: CURLoption, _ value: curl_write_callback) throws(FetchError) {
    try check(ccurl_easy_setopt_callback(pointer, option, value))
  }

  /// Sets a callback that is given `data` and each socket that is opened.
  func setOpened(
    _ value: curl_sockopt_callback, _ data: UnsafeMutableRawPointer
  ) throws(FetchError) {
    try set(CURLOPT_SOCKOPTDATA, data)
    try check(ccurl_easy_setopt_opened(pointer, value))
  }

  /// Sets a callback that is given `data` and the ends of the connection, right before a request is
  /// sent on it; any return but 0 stops the transfer. libcurl before 7.80 never calls it.
  func setConnected(
    _ value: ccurl_connected_callback, _ data: UnsafeMutableRawPointer
  ) throws(FetchError) {
    try check(ccurl_easy_setopt_connected(pointer, value, data))
  }

  /// Has a transfer go on that a callback has made wait. Gives why it cannot: what waited goes to
  /// the callback meanwhile.
  func goOn() -> CURLcode { curl_easy_pause(pointer, CURLPAUSE_CONT) }

  /// Refuses every protocol but HTTP and HTTPS.
  func allowHTTPOnly() throws(FetchError) {
    try check(ccurl_easy_allow_http_only(pointer))
  }

  /// Does not wait for a name look-up when the transfer is over.
  func exitQuickly() throws(FetchError) {
    try check(ccurl_easy_quick_exit(pointer))
  }

  /// The status of the last answer; 0 when there was none.
  var status: Int {
    var value = 0
    return ccurl_easy_getinfo_long(pointer, CURLINFO_RESPONSE_CODE, &value) == CURLE_OK ? value : 0
  }

  /// Whether the answer came on a connection on which answers have numbers: by HTTP/2 or later.
  var isMultiplexed: Bool {
    var value = 0
    let code = ccurl_easy_getinfo_long(pointer, CURLINFO_HTTP_VERSION, &value)
    return code == CURLE_OK && value >= Int(CURL_HTTP_VERSION_2_0)
  }

  /// How long the transfer took.
  var elapsed: Duration {
    var value: curl_off_t = 0
    let code = ccurl_easy_getinfo_offset(pointer, CURLINFO_TOTAL_TIME_T, &value)
    return code == CURLE_OK ? .microseconds(value) : .zero
  }

  /// The absolute URL the answer redirects to.
  var redirectURL: String? {
    var value: UnsafeMutablePointer<CChar>?
    let code = ccurl_easy_getinfo_text(pointer, CURLINFO_REDIRECT_URL, &value)
    guard code == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }

  private func check(_ code: CURLcode) throws(FetchError) {
    guard code == CURLE_OK else { throw .unreachable(reason: words(for: code)) }
  }
}

/// libcurl's words for a code; they name no host and hold no value of ours.
func words(for code: CURLcode) -> String {
  String(cString: curl_easy_strerror(code))
}

/// A libcurl list of header lines.
struct HeaderList: ~Copyable {
  fileprivate private(set) var pointer: UnsafeMutablePointer<curl_slist>?

  /// A list of these lines, without line ends.
  ///
  /// - Throws: `.unreachable` when there is no memory.
  init(_ lines: [String]) throws(FetchError) {
    for line in lines {
      guard let longer = curl_slist_append(pointer, line) else {
        throw .unreachable(reason: "out of memory")
      }
      pointer = longer
    }
  }

  deinit { curl_slist_free_all(pointer) }
}

/// libcurl's multi handle: transfers in progress on one thread, and the connections they share.
// Safe because only `wakeUp` is called from other threads, which libcurl allows; all else belongs
// to the thread of the one loop that has this handle.
final class MultiHandle: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer

  /// A handle without transfers that keeps up to `idleConnectionsMax` connections.
  ///
  /// - Throws: `.unreachable` when there is no memory.
  init(idleConnectionsMax: Int) throws(FetchError) {
    guard let pointer = curl_multi_init() else { throw .unreachable(reason: "out of memory") }
    self.pointer = pointer
    try check(ccurl_multi_setopt_long(pointer, CURLMOPT_MAXCONNECTS, idleConnectionsMax))
  }

  deinit { curl_multi_cleanup(pointer) }

  /// Begins a transfer.
  func add(_ easy: borrowing EasyHandle) throws(FetchError) {
    try check(curl_multi_add_handle(pointer, easy.pointer))
  }

  /// Ends a transfer, also before it is complete.
  func remove(_ easy: borrowing EasyHandle) throws(FetchError) {
    try check(curl_multi_remove_handle(pointer, easy.pointer))
  }

  /// Reads and writes what can be without waiting; the callbacks are called meanwhile.
  func perform() throws(FetchError) {
    var runningCount: Int32 = 0
    try check(curl_multi_perform(pointer, &runningCount))
  }

  /// A transfer that is complete and was not returned yet; nil when there is none.
  func nextCompletion() -> (key: EasyHandle.Key, code: CURLcode)? {
    var leftCount: Int32 = 0
    while let message = curl_multi_info_read(pointer, &leftCount)?.pointee {
      guard message.msg == CURLMSG_DONE, let key = message.easy_handle else { continue }
      return (key, message.data.result)
    }
    return nil
  }

  /// Waits until there is something to do, at most as long as libcurl itself wants to wait.
  func poll() throws(FetchError) {
    try check(curl_multi_poll(pointer, nil, 0, 60_000, nil))
  }

  /// Ends the present or the next `poll`. From any thread.
  func wakeUp() {
    // It fails only when the pipe is full, and then the loop wakes up anyway.
    _ = curl_multi_wakeup(pointer)
  }

  private func check(_ code: CURLMcode) throws(FetchError) {
    guard code == CURLM_OK else {
      throw .unreachable(reason: String(cString: curl_multi_strerror(code)))
    }
  }
}
