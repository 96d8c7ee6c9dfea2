import Bytes
import Feed
import JSONBytes

/// Changes of a feed as the contract's JSON, and as server-sent events.
struct ChangeRendering {
  /// The feed.
  let feed: FeedID
  /// The epoch of the numbers.
  let epoch: String
  /// The name that positions are sent under.
  let lineage: UInt64
  /// What cursors remember.
  var trail = Trail()
  /// The last number as cursors tell it.
  var told: Int64?
  /// Whether what was merely learnt was asked for.
  var learned = false
  /// What each item is cut to; nil leaves it whole.
  let fields: FieldSelection?
  /// The path that URLs lead below; empty for none.
  var base = ""

  /// `{"op":"upsert","seq":"k3f9x0ab.57","id":"…","cursor":"…","item":{…}}`, with `"moved":true`
  /// where the item stood elsewhere before.
  func append(_ change: Change, to json: inout JSONWriter) {
    let (op, content): (String, [UInt8]?) =
      switch change.event {
      case .upsert(_, let bytes): ("upsert", bytes)
      case .remove(let bytes): ("remove", bytes)
      case .delete: ("delete", nil)
      }
    json.append(raw: "{\"op\":")
    json.append(op)
    json.appendName("seq")
    json.append(number(of: change))
    json.appendName("id")
    if let identity = identity(of: change, in: content) {
      json.append(raw: identity)
    } else {
      append(change.id, to: &json)
    }
    if let origin = change.origin {
      json.appendName("part")
      json.append(origin.part)
      if let shared = origin.shared {
        json.appendName("shared")
        json.append(shared)
      }
    }
    if case .upsert(let position, let bytes) = change.event {
      if change.hasMoved {
        json.appendName("moved")
        json.append(true)
      }
      if let origin = change.origin {
        json.appendName("at")
        json.append(exactly: origin.at)
      }
      json.appendName("cursor")
      json.append(
        Cursor.text(at: position, in: feed, lineage: lineage, trail: trail, told: told))
      json.appendName("item")
      json.append(raw: fields?.cut(bytes) ?? bytes)
    }
    json.append(raw: "}")
  }

  /// An identity in its own JSON form: a number stays a number.
  private func append(_ id: Identity, to json: inout JSONWriter) {
    if id.isNumber { json.append(raw: id.bytes) } else { json.append(id.text) }
  }

  /// What to ask on from after a change.
  private func number(of change: Change) -> SequenceNumber {
    SequenceNumber(
      epoch: epoch, number: change.number, learnt: change.learnt, change.reached)
  }

  /// An item's identity as it stands there: where it is a number, the client has a number.
  private func identity(of change: Change, in bytes: [UInt8]?) -> [UInt8]? {
    guard let bytes else { return nil }
    let paths = feed.pattern.identityPaths
    // What is damaged has no identity of its own; its text is sent.
    let found = paths.lazy.compactMap { path in
      (try? JSON.member(at: path, of: bytes[...])).flatMap { $0 }
    }
    // In a merged feed a part's item may have another's member, too.
    let own = found.first { range in
      paths.count == 1 || bytes[range].elementsEqual(change.id.bytes)
        || (try? JSON.text(bytes[range])) == change.id.bytes
    }
    return own.map { Array(bytes[$0]) }
  }

  /// The body of `…:changes`; `top` is the top's slice where that was looked at first.
  func body(_ changes: Changes, limit: Int, after top: Slice?) -> [UInt8] {
    var json = JSONWriter(capacity: 4096)
    json.append(raw: "{\"changes\":")
    json.appendList(changes.changes) { append($1, to: &$0) }
    json.appendName("limit")
    json.append(limit)
    json.appendName("hasMore")
    json.append(changes.hasMore)
    json.appendName("nextSince")
    json.append(changes.next)
    json.appendName("next")
    json.append(changes.hasMore ? next(changes.next, limit: limit) : nil)
    if let top {
      json.appendName("total")
      json.append(top.total)
      json.appendName("freshness")
      json.append(top.freshness)
    }
    json.append(raw: "}")
    return json.bytes
  }

  private func next(_ number: SequenceNumber, limit: Int) -> String {
    let search = feed.parameters.map { "&\($0)" } ?? ""
    let fields = fields.map { "&fields=\($0.text)" } ?? ""
    let since = percentEncoded(number.text.utf8)
    return "\(base)/v1/\(feed.source)/\(feed.path):changes?since=\(since)&limit=\(limit)"
      + "\(search)\(fields)\(learned ? "&learned=true" : "")"
  }

  /// The events of changes, each with its number as its id.
  func events(_ changes: some Sequence<Change>) -> [UInt8] {
    var events: [UInt8] = []
    for change in changes {
      var json = JSONWriter()
      append(change, to: &json)
      EventText.append(json.bytes, id: number(of: change).text, to: &events)
    }
    return events
  }
}

/// Server-sent events as text (HTML Standard §9.2).
enum EventText {
  /// Something that only shows that the server is there.
  static let comment = Array(":\n\n".utf8)

  /// Appends an event. Its data may go over lines: what is JSON stays the same JSON.
  static func append(_ data: [UInt8], id: String, to text: inout [UInt8]) {
    text.append(contentsOf: "id: \(id)\n".utf8)
    for line in data.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
      text.append(contentsOf: "data: ".utf8)
      text.append(contentsOf: line)
      text.append(0x0a)
    }
    text.append(0x0a)
  }

  /// The place from which a client resumes that hears nothing more: no event, but an id.
  static func place(_ number: SequenceNumber) -> [UInt8] {
    Array("id: \(number.text)\n\n".utf8)
  }

  /// The event with which a client begins again at the top: what happened since is no longer kept.
  static func reset(to number: SequenceNumber) -> [UInt8] {
    var text: [UInt8] = []
    append(Array(#"{"op":"reset","seq":"\#(number.text)"}"#.utf8), id: number.text, to: &text)
    return text
  }
}
