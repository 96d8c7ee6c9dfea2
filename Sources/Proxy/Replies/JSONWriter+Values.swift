import Bytes
import Feed
import JSONBytes

extension JSONWriter {
  /// Appends an instant as text (RFC 3339).
  mutating func append(_ instant: Timestamp) {
    append(raw: "\"")
    RFC3339.withText(instant) { append(ascii: $0) }
    append(raw: "\"")
  }

  /// Appends an instant as text, with milliseconds where there are some; nil is `null`.
  mutating func append(exactly instant: Timestamp?) {
    guard let instant else { return append(raw: "null") }
    append(raw: "\"")
    RFC3339.withExactText(instant) { append(ascii: $0) }
    append(raw: "\"")
  }

  /// Appends a freshness: `{"state":"fresh","checkedAt":…,"provenAt":…}`. Written by hand, as the
  /// whole slice: an object would box each member of every reply.
  mutating func append(_ freshness: Freshness) {
    append(raw: "{\"state\":")
    append(freshness.state.rawValue)
    appendName("checkedAt")
    append(freshness.checkedAt)
    appendName("provenAt")
    append(freshness.provenAt)
    append(raw: "}")
  }

  /// Appends a total: `{"value":57,"asOf":…}`, or null.
  mutating func append(_ total: Total?) {
    guard let total else { return append(raw: "null") }
    append(raw: "{\"value\":")
    append(total.value)
    appendName("asOf")
    append(total.asOf)
    append(raw: "}")
  }

  /// Appends where an item of a merged feed is from: `{"part":"dev","at":"…"}`.
  mutating func append(_ origin: ItemOrigin) {
    append(raw: "{\"part\":")
    append(origin.part)
    appendName("at")
    append(exactly: origin.at)
    if let shared = origin.shared {
      appendName("shared")
      append(shared)
    }
    append(raw: "}")
  }

  /// Appends a stretch that a merged feed is shown without, in a reply that is made at `now`.
  mutating func append(_ missing: MissingPart, at now: Timestamp) {
    append(raw: "{\"part\":")
    append(missing.part)
    appendName("reason")
    append(missing.reason.rawValue)
    appendName("from")
    append(exactly: missing.from)
    appendName("to")
    append(exactly: missing.to)
    appendName("retryAfterSeconds")
    if let retryAt = missing.retryAt {
      append(Rejection.seconds(until: retryAt, from: now))
    } else {
      append(raw: "null")
    }
    append(raw: "}")
  }

  /// Appends a change's number as text: `"k3f9x0ab.57"`.
  mutating func append(_ number: SequenceNumber) {
    guard number.parts == nil, number.learnt == 0 else { return append(number.text) }
    var epoch = number.epoch
    append(raw: "\"")
    epoch.withUTF8 { append(escaped: $0) }
    append(raw: ".")
    append(number.number)
    append(raw: "\"")
  }
}
