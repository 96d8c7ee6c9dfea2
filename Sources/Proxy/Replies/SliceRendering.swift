import Bytes
import Feed
import JSONBytes
import Wire

/// A slice as the contract's JSON, around the items' stored bytes.
struct SliceRendering: ~Copyable {
  /// The slice, its items cut already where `fields` asks for that.
  let slice: Slice
  /// What was asked.
  let query: SliceQuery
  /// The position of the first item; in an empty slice the asked bound, as it was written.
  let startCursor: String?
  /// The position of the last item; in an empty slice the asked bound, as it was written.
  let endCursor: String?
  /// The URL that goes on below; nil when there is nothing.
  let next: [UInt8]?
  /// The URL that goes on above; nil when there is nothing.
  let previous: [UInt8]?

  /// The rendering of a slice that was asked for; its place is worked out once.
  init(slice: Slice, query: SliceQuery) {
    self.slice = slice
    self.query = query
    let (feed, takesLast) = (query.request.feed, query.request.takesLast)
    let asked = (takesLast ? query.end ?? query.start : query.start ?? query.end)?.value
    func cursor(at index: Int?, _ trail: Trail) -> String? {
      guard let index else { return asked }
      return Cursor.text(
        at: slice.items[index].position, in: feed, lineage: slice.lineage, trail: trail,
        told: slice.told)
    }
    let start = cursor(at: slice.items.indices.first, slice.trail.beginning)
    let end = cursor(at: slice.items.indices.last, slice.trail)
    var (next, previous): ([UInt8]?, [UInt8]?)
    if slice.hasMore, let end {
      next = SliceRendering.url(query, .startAfter, end, keeping: query.end)
    }
    if slice.hasPrevious, let start {
      // In a range of which the end is kept, the start is the far bound; otherwise it is only
      // where this slice began.
      let far = takesLast ? query.start : nil
      previous = SliceRendering.url(query, .endBefore, start, keeping: far, takesLast: true)
    }
    (startCursor, endCursor) = (start, end)
    (self.next, self.previous) = (next, previous)
  }

  private var feed: FeedID { query.request.feed }

  private static func url(
    _ query: SliceQuery, _ name: SliceParameter, _ position: String,
    keeping far: SliceQuery.Written?, takesLast: Bool = false
  ) -> [UInt8] {
    let capacity = query.first.count + position.utf8.count + 128
    return ByteText.bytes(capacity: capacity) { url in
      func append(_ name: SliceParameter, _ value: String) {
        url.append("&")
        url.append(name.rawValue)
        url.append("=")
        url.append(percentEncoding: value)
      }
      url.append(query.first)
      if let far { append(far.name, far.value) }
      append(name, position)
      if takesLast { url.append("&limitToLast=true") }
    }
  }

  /// What ``appendLinks(to:)`` appends at most, in bytes, about.
  var linksCapacity: Int { urlBytes + query.first.count + 64 }

  /// What the URLs above and below have together, in bytes.
  private var urlBytes: Int { (next?.count ?? 0) + (previous?.count ?? 0) }

  /// Appends the URLs as the value of a `Link` field (RFC 8288 §3).
  func appendLinks(to links: inout ByteText) {
    links.append("<")
    links.append(query.first)
    links.append(">; rel=\"first\"")
    if let next {
      links.append(", <")
      links.append(next)
      links.append(">; rel=\"next\"")
    }
    if let previous {
      links.append(", <")
      links.append(previous)
      links.append(">; rel=\"prev\"")
    }
  }

  /// The URL that goes on below the gap the slice ends at.
  private func skip(_ gap: Slice.Gap) -> [UInt8] {
    let (position, trail) = slice.skip ?? (gap.lower.position, slice.trail)
    let cursor = Cursor.text(
      at: position, in: feed, lineage: slice.lineage, trail: trail, told: slice.told)
    return SliceRendering.url(query, .startAfter, cursor, keeping: query.end)
  }

  /// About how many bytes say where an item of a merged feed is from.
  private static let originBytes = 96

  /// The reply's body, made at `now`, with a line end for who prints it.
  func body(at now: Timestamp) -> [UInt8] {
    let size =
      slice.items.byteCount + slice.items.count + slice.origins.count * SliceRendering.originBytes
      + urlBytes + 1024
    return JSONWriter.bytes(capacity: size) { json in
      json.append(raw: "{\"items\":")
      json.appendList(slice.items.indices) { $0.append(raw: slice.items[$1].bytes) }
      json.appendName("limit")
      json.append(query.request.limit)
      if slice.numbers != nil { appendParts(to: &json, at: now) }
      appendPlace(to: &json)
      appendState(to: &json)
      json.append(raw: "}\n")
    }
  }

  /// What a slice of a merged feed says of its parts.
  private func appendParts(to json: inout JSONWriter, at now: Timestamp) {
    json.appendName("origins")
    json.appendList(slice.origins) { $0.append($1) }
    json.appendName("missing")
    json.appendList(slice.missing) { $0.append($1, at: now) }
  }

  private func appendPlace(to json: inout JSONWriter) {
    json.appendName("hasMore")
    json.append(slice.hasMore)
    json.appendName("hasPrevious")
    json.append(slice.hasPrevious)
    json.appendName("startCursor")
    json.append(startCursor)
    json.appendName("endCursor")
    json.append(endCursor)
    json.appendName("next")
    json.append(quoted: next)
    json.appendName("previous")
    json.append(quoted: previous)
    json.appendName("endReason")
    json.append(slice.endReason?.rawValue)
    json.appendName("gap")
    if let gap = slice.gap {
      json.append(raw: "{\"id\":")
      json.append(gap.name(in: feed))
      json.appendName("skip")
      json.append(quoted: skip(gap))
      json.appendName("estimatedItems")
      json.append(slice.gapCount)
      json.appendName("sunk")
      json.append(slice.isGapSunk)
      if !gap.parts.isEmpty {
        json.appendName("parts")
        json.appendList(gap.parts) { $0.append($1) }
      }
      json.append(raw: "}")
    } else {
      json.append(raw: "null")
    }
  }

  private func appendState(to json: inout JSONWriter) {
    if slice.omitted > 0 {
      json.appendName("omitted")
      json.append(slice.omitted)
    }
    json.appendName("seq")
    json.append(slice.number)
    json.appendName("total")
    json.append(slice.total)
    json.appendName("proof")
    json.append(slice.proof.rawValue)
    json.appendName("freshness")
    json.append(slice.freshness)
  }

  /// A weak validator over what the items, cursors, `hasMore`, `endReason` and `gap` are; not
  /// over freshness, total, `seq` or the encoding.
  func entityTag() -> String {
    guard slice.told == nil, slice.trail.parts?.numbers.isEmpty ?? true else {
      // Nor over the numbers that its cursors tell.
      var plain = slice
      plain.told = nil
      plain.trail.parts?.numbers = [:]
      return SliceRendering(slice: plain, query: query).entityTag()
    }
    var digest = Digest()
    // Whatever it is cut to, an item has its identity.
    for index in slice.items.indices {
      digest.add(slice.items[index].digest ?? Digest.value(of: slice.items[index].bytes))
    }
    digest.add(startCursor ?? "")
    digest.add(endCursor ?? "")
    digest.add(slice.endReason?.rawValue ?? "")
    digest.add(query.fields?.text ?? "")
    digest.add(next ?? [])
    digest.add(previous ?? [])
    digest.add(slice.gap.map { skip($0) } ?? [])
    digest.add(slice.hasMore ? 1 : 0)
    for origin in slice.origins {
      digest.add(origin.part)
      digest.add(UInt64(bitPattern: origin.at.milliseconds))
    }
    for missing in slice.missing {
      digest.add("\(missing.part) \(missing.reason)")
      for end in [missing.from, missing.to] {
        digest.add(UInt64(bitPattern: end?.milliseconds ?? .min))
      }
    }
    return digest.entityTag
  }
}
