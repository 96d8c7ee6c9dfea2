public import Foundation

/// Where an item of a merged feed is from.
public struct FeedOrigin: Hashable, Sendable, Codable {
  /// The part's name in the merged feed.
  public var part: String
  /// The instant by which the item is ordered.
  public var at: Date?
  /// The first part, by name, of those that have their items in common; nil for a part that has its
  /// own alone.
  public var shared: String?

  /// An origin from its parts.
  public init(part: String, at: Date? = nil, shared: String? = nil) {
    (self.part, self.at, self.shared) = (part, at, shared)
  }

  /// Reads an origin as the server writes it, or as an app has kept it.
  public init(from decoder: any Decoder) throws {
    let origin = try decoder.container(keyedBy: CodingKeys.self)
    part = try origin.decode(String.self, forKey: .part)
    at = origin.time(.at)
    shared = try origin.decodeIfPresent(String.self, forKey: .shared)
  }

  /// The identity in the merged feed of an item that has this one in its part: `swift/4bd4318`. An
  /// item that several parts have has one, whichever of them shows it.
  public func id(of identity: some CustomStringConvertible) -> String {
    "\(shared ?? part)/\(identity)"
  }
}

/// An item of a merged feed, as an app's own type: what its JSON means depends on the part.
///
///     enum HomeItem: PartItem {
///       case article(QiitaItem, FeedOrigin), fruit(Fruit, FeedOrigin)
///
///       init(from decoder: any Decoder, origin: FeedOrigin) throws {
///         self = switch origin.part {
///         case "fruits": .fruit(try Fruit(from: decoder), origin)
///         default: .article(try QiitaItem(from: decoder), origin)
///         }
///       }
///
///       var id: String {
///         switch self {
///         case .article(let article, let origin): origin.id(of: article.id)
///         case .fruit(let fruit, let origin): origin.id(of: fruit.id)
///         }
///       }
///     }
///
/// Where all parts have items of one type, ``MergedItem`` is enough. What `Codable` makes is for
/// the app's own store, which keeps the origin with the item.
public protocol PartItem: Decodable, Identifiable, Sendable where ID == String {
  /// Reads an item out of its part's JSON.
  ///
  /// - Throws: `DecodingError`; the item is then among the slice's ``FeedSlice/undecodable``.
  init(from decoder: any Decoder, origin: FeedOrigin) throws
}

/// An item of a merged feed whose parts have items of one type.
public struct MergedItem<Content: Identifiable & Sendable>: Identifiable, Sendable {
  /// Where it is from.
  public var origin: FeedOrigin
  /// The part's own item.
  public var content: Content

  /// An item from its parts.
  public init(_ content: Content, from origin: FeedOrigin) {
    (self.content, self.origin) = (content, origin)
  }

  /// Its identity in the merged feed: `swift/4bd431809afb1bb99e4f`.
  public var id: String { origin.id(of: identityText(of: content.id)) }
}

extension MergedItem: Decodable where Content: Decodable {}
extension MergedItem: Encodable where Content: Encodable {}
extension MergedItem: Equatable where Content: Equatable {}
extension MergedItem: Hashable where Content: Hashable {}

extension MergedItem: PartItem where Content: Decodable {
  /// Reads an item out of its part's JSON.
  public init(from decoder: any Decoder, origin: FeedOrigin) throws {
    self.init(try Content(from: decoder), from: origin)
  }
}

/// A stretch that a merged feed is shown without.
public struct FeedMissing: Hashable, Sendable, Codable {
  /// The part that lacks it.
  public var part: String
  /// Why, in the contract's word: `unavailable`, `limited`, `timeout`, `behind`, `wall`,
  /// `unordered`, `gap`, or one that came later.
  public var reason: String
  /// Its newer end; nil for none.
  public var from: Date?
  /// Its older end; nil for none.
  public var to: Date?
  /// Seconds after which another try may do better; nil where that is not known.
  public var retryAfterSeconds: Int?

  /// Reads a stretch as the server writes it, or as an app has kept it.
  public init(from decoder: any Decoder) throws {
    let missing = try decoder.container(keyedBy: CodingKeys.self)
    part = try missing.decode(String.self, forKey: .part)
    reason = try missing.decode(String.self, forKey: .reason)
    (from, to) = (missing.time(.from), missing.time(.to))
    retryAfterSeconds = try missing.decodeIfPresent(Int.self, forKey: .retryAfterSeconds)
  }
}

extension Decodable {
  /// Reads an item that may be one of a merged feed.
  static func item(from decoder: any Decoder, origin: FeedOrigin?) throws -> Self {
    guard let origin, let type = Self.self as? any PartItem.Type,
      let item = try type.init(from: decoder, origin: origin) as? Self
    else { return try decoder.singleValueContainer().decode(Self.self) }
    return item
  }
}
