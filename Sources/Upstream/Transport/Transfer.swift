internal import CCurl
internal import Feed
internal import Freshness

/// One request on its way: its handle, and what has arrived of its answer.
///
/// Made, driven and completed on the loop's thread. libcurl holds its address, so it must live
/// until its handle has left the multi handle.
final class Transfer {
  /// The most bytes that libcurl gives at a time, its `CURL_MAX_WRITE_SIZE`.
  private static let chunkBytesMax = 16 << 10

  let easy: EasyHandle
  private let order: TransferOrder
  private let headerList: HeaderList
  private var pace: WorkPace
  private let origin: Origin
  private var url: String
  private var timeLeft: Duration
  private var redirectCount = 0
  private let connections: KeptConnections
  private let bodies: HeldBodies
  /// Its number among the bodies.
  let number: Int
  /// Whether its body waits for others.
  private(set) var waits = false
  /// The sockets that were opened for the request.
  private var opened: [Int32] = []
  /// What the request was sent on.
  private var ends: KeptConnections.Ends?
  /// Whether a connection was left before the request, since its answer could be another's.
  private var hasLeft = false

  private var head = HeadReader()
  private var headerBytes = 0
  private var body: BodyBuffer?
  /// Why a callback stopped the transfer.
  private var failure: FetchError?

  /// A transfer that is ready to be added.
  ///
  /// - Throws: `.unreachable` when the URL is none, or libcurl refuses an option.
  init(
    _ order: TransferOrder, settings: TransferSettings, connections: KeptConnections,
    bodies: HeldBodies, pace: WorkPace
  ) throws(FetchError) {
    guard let origin = Origin(url: order.request.url) else {
      throw .unreachable(reason: words(for: CURLE_URL_MALFORMAT))
    }
    self.order = order
    (self.connections, self.bodies) = (connections, bodies)
    number = bodies.begin()
    self.pace = pace
    self.origin = origin
    url = order.request.url
    timeLeft = order.limits.totalTimeout
    easy = try EasyHandle()
    let isRaw = order.request.raw != nil
    headerList = try HeaderList(
      order.request.headerLines + (isRaw ? [] : ["Accept-Encoding: gzip"]))
    try settings.apply(to: easy)
    try applyLimits()
    try easy.set(CURLOPT_URL, url)
    try easy.set(CURLOPT_HTTPHEADER, headerList)
    if let raw = order.request.raw {
      try easy.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
      if raw.isHead {
        try easy.set(CURLOPT_NOBODY, 1)
        // What is announced does not come.
        try easy.setOffset(CURLOPT_MAXFILESIZE_LARGE, 0)
      }
    }
    try attachCallbacks()
  }

  /// Gives the response to the caller. Called once.
  func complete(_ code: CURLcode) {
    bodies.end(number)
    let head = head.isWhole ? ResponseHead(status: easy.status, fields: head.fields) : nil
    order.reply.resume(
      returning: Answer(
        head: head,
        body: Result { () throws(FetchError) in
          try wholeBody(code)
        }, redirects: redirectCount, url: url))
  }

  /// Gives a failure to the caller. Called once, instead of `complete`.
  func fail(_ error: FetchError) {
    bodies.end(number)
    order.fail(error, redirects: min(redirectCount, order.limits.redirectsMax))
  }

  /// Makes ready for another request where one follows on this end: at the place of a redirect, or
  /// on a connection of its own. False where none does.
  ///
  /// - Throws: `.malformed` when a redirect leads to another origin or is one too many, `.timedOut`
  ///   when no time is left.
  func goesOn(after code: CURLcode) throws(FetchError) -> Bool {
    guard code == CURLE_OK else { return try takeNewConnection() }
    noteAnswer()
    return try followRedirect()
  }

  /// Makes ready for the redirect that this transfer ended in; false when it ended in none.
  private func followRedirect() throws(FetchError) -> Bool {
    guard order.request.raw == nil, [301, 302, 303, 307, 308].contains(easy.status),
      let location = easy.redirectURL
    else {
      return false
    }
    guard let url = origin.ownURL(location, asIn: url) else {
      throw .malformed(reason: "redirect to another origin")
    }
    redirectCount += 1
    guard redirectCount <= order.limits.redirectsMax else {
      throw .malformed(reason: "more than \(order.limits.redirectsMax) redirects")
    }
    try keepWithinTime()
    try easy.set(CURLOPT_URL, url)
    self.url = url
    head = HeadReader()
    body = nil
    bodies.end(number)
    return true
  }

  /// Makes ready for a connection of its own where the one that was kept was left; false where none
  /// was.
  private func takeNewConnection() throws(FetchError) -> Bool {
    guard hasLeft else { return false }
    hasLeft = false
    try keepWithinTime()
    try easy.set(CURLOPT_FRESH_CONNECT, 1)
    return true
  }

  /// Goes on with a body that waits, if it may; gives why it cannot.
  func goOn() -> CURLcode {
    // Asked in vain, libcurl would have the loop ask again without a rest.
    guard waits, bodies.admits(Transfer.chunkBytesMax, to: number) else { return CURLE_OK }
    waits = false
    return easy.goOn()
  }

  /// Notes what came on the connection, and how.
  private func noteAnswer() {
    guard let ends else { return }
    let hasBody = order.request.raw?.isHead != true && ![204, 304].contains(easy.status)
    connections.noteAnswer(on: ends, isMultiplexed: easy.isMultiplexed, hasBody: hasBody)
  }

  private func keepWithinTime() throws(FetchError) {
    timeLeft -= easy.elapsed
    guard timeLeft >= .milliseconds(1) else { throw .timedOut }
    try easy.set(CURLOPT_TIMEOUT_MS, Int(timeLeft.inMilliseconds))
  }

  /// Whether the request may be sent on a connection.
  private func maySend(on ends: KeptConnections.Ends) -> Bool {
    self.ends = ends
    guard opened.isEmpty else {
      connections.note(ends, among: opened)
      opened = []
      return true
    }
    hasLeft = !connections.maySend(on: ends)
    return !hasLeft
  }

  private func applyLimits() throws(FetchError) {
    let limits = order.limits
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connectTimeout.inMilliseconds))
    try easy.set(CURLOPT_TIMEOUT_MS, Int(limits.totalTimeout.inMilliseconds))
    try easy.set(CURLOPT_LOW_SPEED_LIMIT, limits.lowSpeedBytesPerSecond)
    try easy.set(CURLOPT_LOW_SPEED_TIME, limits.lowSpeedSeconds)
    // Refuses an announced length immediately; what is not announced is counted as it arrives.
    try easy.setOffset(CURLOPT_MAXFILESIZE_LARGE, limits.bodyBytesMax)
  }

  private func attachCallbacks() throws(FetchError) {
    let address = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_HEADERDATA, address)
    try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, address in
      Transfer.receive(bytes, size * count, address) { (transfer, line) throws(FetchError) in
        try transfer.receiveHeader(line)
      }
    }
    try easy.set(CURLOPT_WRITEDATA, address)
    try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, address in
      if let transfer = address.map(Transfer.at),
        !transfer.bodies.admits(size * count, to: transfer.number)
      {
        transfer.waits = true
        return Int(CURL_WRITEFUNC_PAUSE)
      }
      return Transfer.receive(bytes, size * count, address) {
        (transfer, chunk) throws(FetchError) in
        try transfer.receiveBody(chunk)
      }
    }
    try easy.setOpened(
      { address, socket, _ in
        if let address { Transfer.at(address).opened.append(socket) }
        return CURL_SOCKOPT_OK
      }, address)
    try easy.setConnected(
      { address, remote, local, remotePort, localPort in
        guard let address, let remote, let local else { return CURL_PREREQFUNC_OK }
        let ends = KeptConnections.Ends(
          local: String(cString: local), localPort: localPort, remote: String(cString: remote),
          remotePort: remotePort)
        return Transfer.at(address).maySend(on: ends)
          ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      }, address)
  }

  /// The transfer that libcurl was given the address of.
  private static func at(_ address: UnsafeMutableRawPointer) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(address).takeUnretainedValue()
  }

  /// Hands bytes to the transfer at `address`; what it throws is kept and stops libcurl.
  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ address: UnsafeMutableRawPointer?,
    _ take: (Transfer, UnsafeRawBufferPointer) throws(FetchError) -> Void
  ) -> Int {
    guard let address else { return 0 }
    let transfer = at(address)
    do throws(FetchError) {
      try take(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
      return count
    } catch {
      transfer.failure = error
      // Any number but `count` stops the transfer.
      return count == 0 ? 1 : 0
    }
  }

  /// Takes one line of a head, its line end included.
  private func receiveHeader(_ line: UnsafeRawBufferPointer) throws(FetchError) {
    headerBytes += line.count
    guard headerBytes <= order.limits.headerBytesMax else {
      throw .malformed(reason: "more than \(order.limits.headerBytesMax) header bytes")
    }
    if head.isWhole {
      return  // A trailer: it belongs to the coding that is taken off.
    } else if line.starts(with: "HTTP/".utf8) {
      head.begin(line)
    } else if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
      let raw = order.request.raw
      if let (status, fields) = head.end() {
        raw?.interim(status, fields)
      } else {
        try beginBody(coding: raw == nil ? head.fields["Content-Encoding"] : nil)
      }
    } else {
      head.append(line)
    }
  }

  /// Makes ready for the body that follows a head.
  ///
  /// - Throws: `.malformed` for a transfer coding other than one `chunked`: where its body ends,
  ///   and what it is, only a recipient that knows the coding can tell (RFC 9112 §6.1, §7); and for
  ///   lengths that differ (§6.3).
  private func beginBody(coding: String?) throws(FetchError) {
    let codings = head.fields.texts(of: "Transfer-Encoding")
    guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
      throw .malformed(reason: "transfer coding other than chunked")
    }
    guard !codings.isEmpty || Set(head.fields.elements(of: "content-length")).count <= 1 else {
      throw .malformed(reason: "lengths that differ")
    }
    body = BodyBuffer(
      coding: coding,
      announcedBytes: head.fields.number("Content-Length").map { Int(clamping: $0) } ?? 0,
      limitBytes: order.limits.bodyBytesMax)
  }

  private func receiveBody(_ chunk: UnsafeRawBufferPointer) throws(FetchError) {
    let added = try body?.append(chunk) ?? 0
    bodies.add(added, to: number)
    pace.note(bytes: max(chunk.count, added))
  }

  private func wholeBody(_ code: CURLcode) throws(FetchError) -> [UInt8] {
    if let failure { throw failure }
    guard code == CURLE_OK else { throw fetchError(for: code) }
    guard let whole = body.take() else { throw .cut }
    return try whole.finish()
  }

  private func fetchError(for code: CURLcode) -> FetchError {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_FILESIZE_EXCEEDED: .tooLarge(limitBytes: order.limits.bodyBytesMax)
    case CURLE_PARTIAL_FILE: .cut
    case CURLE_RECV_ERROR where head.isWhole: .cut
    case CURLE_HTTP2 where head.isWhole, CURLE_HTTP2_STREAM where head.isWhole: .cut
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      .noAnswer
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      .malformed(reason: words(for: code))
    default: .unreachable(reason: words(for: code))
    }
  }
}
