public import Foundation
import Wire

/// Some items of a feed, proven adjacent, and where to go on.
public struct FeedSlice<Item: Sendable>: Sendable {
  /// The items that could be decoded, in feed order.
  public var items: [Item]
  /// Where each is from, in their order; empty where the feed is not a merged one.
  public var origins: [FeedOrigin] = []
  /// What a merged feed is shown without.
  public var missing: [FeedMissing] = []
  /// The items that could not: one bad item never costs the slice.
  public var undecodable: [UndecodableItem]
  /// The limit that was served.
  public var limit: Int
  /// Whether there is more between this slice and the end of the asked range; never guessed from a
  /// count.
  public var hasMore: Bool
  /// Whether there is something above.
  public var hasPrevious: Bool
  /// The place of the first item; in an empty slice the asked bound.
  public var startCursor: FeedCursor?
  /// The place of the last item; in an empty slice the asked bound.
  public var endCursor: FeedCursor?
  /// Why there is no more; nil when there is.
  public var endReason: FeedEndReason?
  /// The gap it ends at: going on from `endCursor` fills it first.
  public var gap: Gap?
  /// The number of the last change known, to ask for the changes since.
  public var seq: SequenceNumber
  /// How many elements of its range the upstream has and the server could not use: without an
  /// identity, without the key of the order, or broken. Mostly 0.
  public var omitted: Int = 0
  /// The feed's size as the upstream says.
  public var total: FeedTotal?
  /// How old it is.
  public var freshness: FeedFreshness

  /// A place below the slice where unknown items may lie.
  public struct Gap: Hashable, Sendable {
    /// Names it.
    public var id: String
    /// Asks for what is known below it.
    public var skip: SliceRequest?
    /// The parts of a merged feed that have it; empty in any other.
    public var parts: [String] = []
  }
}

extension FeedSlice.Gap: Decodable {
  private enum Key: CodingKey { case id, skip, parts }

  /// Reads a gap as the server writes it.
  public init(from decoder: any Decoder) throws {
    let gap = try decoder.container(keyedBy: Key.self)
    id = try gap.decode(String.self, forKey: .id)
    skip = SliceRequest(link: try gap.decode(String.self, forKey: .skip))
    parts = try gap.decodeIfPresent([String].self, forKey: .parts) ?? []
  }
}

/// Why a slice is the last of its range.
public struct FeedEndReason: RawRepresentable, Hashable, Sendable, Codable {
  /// The word of the contract.
  public let rawValue: String
  /// A reason by its word; one that is not known here is kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The client's own bound was reached.
  public static var range: FeedEndReason { FeedEndReason(rawValue: "range") }
  /// The feed is over.
  public static var end: FeedEndReason { FeedEndReason(rawValue: "end") }
  /// The upstream shows no more than this.
  public static var upstreamLimit: FeedEndReason { FeedEndReason(rawValue: "upstreamLimit") }
}

/// A feed's size.
public struct FeedTotal: Hashable, Sendable, Codable {
  /// Elements, not capped by what can be reached.
  public var value: Int
  /// When it was asked.
  public var asOf: Date?

  /// This one, or another that was asked later.
  func newer(_ other: FeedTotal?) -> FeedTotal {
    guard let other, let asOf, let others = other.asOf, others > asOf else { return self }
    return other
  }
}

/// A slice's freshness.
public struct FeedFreshness: Hashable, Sendable, Codable {
  /// `fresh`, `stale` or `expired`.
  public var state: String
  /// When it was last seen upstream.
  public var checkedAt: Date?
  /// The oldest upstream answer it rests on.
  public var provenAt: Date?

  /// Whether it may be shown without a word of its age.
  public var isFresh: Bool { state == "fresh" }
}

/// An item that could not be decoded.
public struct UndecodableItem: Error, Hashable, Sendable {
  /// Its place in the slice, from 0.
  public var index: Int
  /// Its `id`, a text or a whole number, where that could be read.
  public var id: String?
  /// What is wrong with it, and where.
  public var reason: String
}

extension FeedSlice: Decodable where Item: Decodable {
  private enum Key: CodingKey {
    case items, limit, hasMore, hasPrevious, startCursor, endCursor, endReason, gap, seq, omitted
    case total, freshness, origins, missing
  }

  /// Reads a slice as the server writes it.
  public init(from decoder: any Decoder) throws {
    let slice = try decoder.container(keyedBy: Key.self)
    let origins = try slice.decodeIfPresent([FeedOrigin].self, forKey: .origins) ?? []
    let elements =
      origins.isEmpty
      ? try slice.decode([LenientElement<Item>].self, forKey: .items)
      : try LenientElement<Item>.list(in: slice.nestedUnkeyedContainer(forKey: .items), origins)
    (items, undecodable) = LenientElement.sort(elements)
    let bad = Set(undecodable.map(\.index))
    self.origins = origins.enumerated().filter { !bad.contains($0.offset) }.map(\.element)
    missing = try slice.decodeIfPresent([FeedMissing].self, forKey: .missing) ?? []
    limit = try slice.decode(Int.self, forKey: .limit)
    hasMore = try slice.decode(Bool.self, forKey: .hasMore)
    hasPrevious = try slice.decode(Bool.self, forKey: .hasPrevious)
    startCursor = try slice.decodeIfPresent(FeedCursor.self, forKey: .startCursor)
    endCursor = try slice.decodeIfPresent(FeedCursor.self, forKey: .endCursor)
    endReason = try slice.decodeIfPresent(FeedEndReason.self, forKey: .endReason)
    gap = try slice.decodeIfPresent(Gap.self, forKey: .gap)
    seq = try slice.decode(SequenceNumber.self, forKey: .seq)
    omitted = try slice.decodeIfPresent(Int.self, forKey: .omitted) ?? 0
    total = try slice.decodeIfPresent(FeedTotal.self, forKey: .total)
    freshness = try slice.decode(FeedFreshness.self, forKey: .freshness)
    guard elements.isEmpty || (startCursor != nil && endCursor != nil) else {
      throw DecodingError.dataCorruptedError(
        forKey: .endCursor, in: slice, debugDescription: "is null beside items")
    }
  }

  /// Reads a slice out of a reply.
  ///
  /// - Throws: `.decoding` where the slice itself cannot be read.
  init(_ body: Data, decoder: JSONDecoder) throws {
    do {
      self = try decoder.decode(FeedSlice.self, from: body)
    } catch {
      throw TsugiError.decoding(DecodingFailure(error))
    }
  }
}

extension FeedTotal {
  /// Reads a total as the server writes it, or as an app has kept it.
  public init(from decoder: any Decoder) throws {
    let total = try decoder.container(keyedBy: CodingKeys.self)
    value = try total.decode(Int.self, forKey: .value)
    asOf = total.time(.asOf)
  }
}

extension FeedFreshness {
  /// Reads a freshness as the server writes it, or as an app has kept it.
  public init(from decoder: any Decoder) throws {
    let freshness = try decoder.container(keyedBy: CodingKeys.self)
    state = try freshness.decode(String.self, forKey: .state)
    checkedAt = freshness.time(.checkedAt)
    provenAt = freshness.time(.provenAt)
  }
}

extension KeyedDecodingContainer {
  /// A time of the server, else one in the form in which the decoder reads dates; nil for none.
  func time(_ key: Key) -> Date? {
    if let text = try? decode(String.self, forKey: key), let time = Date(rfc3339: text) {
      return time
    }
    return try? decodeIfPresent(Date.self, forKey: key)
  }
}

extension SliceRequest {
  /// The range a link of the server goes on with; nil for a link without a start.
  init?(link: String) {
    guard let items = URLComponents(string: link)?.queryItems else { return nil }
    func position(_ name: SliceParameter) -> FeedPosition? {
      items.first { $0.name == name.rawValue }?.value.map(FeedPosition.init)
    }
    guard let start = position(.startAfter) else { return nil }
    self.init(
      start: .after(start),
      end: position(.endBefore).map(End.before) ?? position(.endAt).map(End.at))
  }
}

/// An element that may not be what is expected, which costs only itself.
struct LenientElement<Item: Decodable & Sendable>: Decodable, Sendable {
  private let result: Result<Item, UndecodableItem>

  init(from decoder: any Decoder) throws { self.init(from: decoder, origin: nil) }

  /// The elements of a slice of a merged feed, each with its origin.
  static func list(
    in items: consuming any UnkeyedDecodingContainer, _ origins: [FeedOrigin]
  ) throws -> [LenientElement] {
    var (items, elements): (_, [LenientElement]) = (items, [])
    elements.reserveCapacity(items.count ?? 0)
    while !items.isAtEnd {
      let place = elements.count
      let origin = origins.indices.contains(place) ? origins[place] : nil
      elements.append(LenientElement(from: try items.superDecoder(), origin: origin))
    }
    return elements
  }

  private init(from decoder: any Decoder, origin: FeedOrigin?) {
    do {
      result = .success(try Item.item(from: decoder, origin: origin))
    } catch {
      // An element without a readable identity is bad all the same.
      let element = try? decoder.container(keyedBy: AnyKey.self)
      let text = try? element?.decode(String.self, forKey: "id")
      let id = text ?? (try? element?.decode(Int64.self, forKey: "id")).map(String.init)
      result = .failure(
        UndecodableItem(index: 0, id: id, reason: DecodingFailure(error).description))
    }
  }

  /// Sorts elements into good ones and bad ones, which learn their places.
  static func sort(_ elements: [LenientElement]) -> ([Item], [UndecodableItem]) {
    var good: [Item] = []
    var bad: [UndecodableItem] = []
    good.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      switch element.result {
      case .success(let item): good.append(item)
      case .failure(var item):
        item.index = index
        bad.append(item)
      }
    }
    return (good, bad)
  }
}

/// A key by any name.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}

extension Date {
  private static let gregorian = Calendar(identifier: .gregorian)

  /// A time as RFC 3339 §5.6 has it, with any offset, with or without fractions of a second.
  init?(rfc3339 text: String) {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt][0-9:]{8}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    // Foundation takes the 30th of February for a day of March.
    let day = DateComponents(year: Int(match.1), month: Int(match.2), day: Int(match.3))
    guard day.isValidDate(in: Date.gregorian) else { return nil }
    let text = text.uppercased()
    // Which of both it is is not worth an error; a text that is neither is no date.
    let plain = try? Date(text, strategy: .iso8601)
    guard
      let date = plain
        ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    else { return nil }
    self = date
  }
}
