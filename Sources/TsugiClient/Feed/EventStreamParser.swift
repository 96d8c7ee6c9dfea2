/// Takes server-sent events apart, however their bytes are cut (WHATWG HTML §9.2.6).
struct EventStreamParser {
  /// The longest that a server's wish to wait is granted.
  static let retryMax = Backoff.retryAfterMax
  /// The most bytes of one event.
  static let eventBytesMax = 8 << 20

  /// One event.
  struct Event: Hashable {
    /// Its name; `message` unless the server gives one.
    var name = "message"
    /// Its lines, joined by line feeds.
    var data: String
  }

  /// An event that never ends.
  struct TooLarge: Error {}

  /// The id of the latest event, to go on after it.
  private(set) var lastEventID: String?
  /// How long the server asks to wait before connecting again.
  private(set) var retry: Duration?

  private var line: [UInt8] = []
  private var name = ""
  private var data: [String] = []
  private var id: String?
  private var eventBytes = 0
  private var isFirstLine = true
  private var followsReturn = false

  /// Begins with a new connection; what the server said of the next one stands.
  mutating func reconnect() {
    (line, name, data, eventBytes) = ([], "", [], 0)
    (isFirstLine, followsReturn) = (true, false)
    id = lastEventID
  }

  /// Forgets what was seen.
  mutating func forget() {
    lastEventID = nil
    reconnect()
  }

  /// Takes bytes in and gives the events that are whole with them.
  mutating func take(_ bytes: some Sequence<UInt8>) throws(TooLarge) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      let isSecondOfPair = followsReturn && byte == UInt8(ascii: "\n")
      followsReturn = byte == UInt8(ascii: "\r")
      switch byte {
      case UInt8(ascii: "\n") where isSecondOfPair: break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): endLine().map { events.append($0) }
      default:
        eventBytes += 1
        guard eventBytes <= Self.eventBytesMax else { throw TooLarge() }
        line.append(byte)
      }
    }
    return events
  }

  /// Ends a line; gives the event that an empty one ends.
  private mutating func endLine() -> Event? {
    if isFirstLine, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    isFirstLine = false
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return endEvent() }
    takeField()
    return nil
  }

  private mutating func endEvent() -> Event? {
    defer { (name, data, eventBytes) = ("", [], 0) }
    lastEventID = id
    guard !data.isEmpty else { return nil }
    return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }

  private mutating func takeField() {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var rest = line[colon...].dropFirst()
    if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    let value = String(decoding: rest, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "": eventBytes = max(0, eventBytes - line.count)  // A comment is of no event.
    case "event": name = value
    case "data": data.append(value)
    case "id": if !rest.contains(0) { id = value }
    case "retry":
      guard !rest.isEmpty, rest.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
      retry = min(.milliseconds(Int64(value) ?? .max), Self.retryMax)
    default: break  // The standard has clients pass over what they do not know.
    }
  }
}
