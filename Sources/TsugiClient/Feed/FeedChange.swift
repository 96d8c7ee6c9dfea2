import Foundation
import Wire

/// One thing that happened to a feed.
///
/// A number is taken when an item appears, is edited, moves or leaves; counts alone take none.
public struct FeedChange<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// What can happen.
  public enum Operation: String, Decodable, Sendable {
    /// An item appeared or was edited, or stands elsewhere now.
    case upsert
    /// An item left this feed.
    case remove
    /// An item is gone everywhere.
    case delete
    /// So much happened that it is not sent: begin again at the top.
    case reset
  }

  /// What happened.
  public var operation: Operation
  /// Its number.
  public var seq: SequenceNumber?
  /// The item it happened to; nil for a reset.
  public var id: Item.ID?
  /// The item as it is now, after an upsert, where it was sent and could be decoded.
  public var item: Item?
  /// Its place in the feed, after an upsert.
  public var cursor: FeedCursor?
  /// Whether its place changed, after an upsert; false from a server that does not say.
  public var hasMoved: Bool

  /// A change from its parts.
  public init(
    _ operation: Operation, id: Item.ID? = nil, item: Item? = nil, seq: SequenceNumber? = nil,
    cursor: FeedCursor? = nil, hasMoved: Bool = false
  ) {
    self.operation = operation
    self.seq = seq
    self.id = id ?? item?.id
    self.item = item
    self.cursor = cursor
    self.hasMoved = hasMoved
  }
}

extension FeedChange: Decodable where Item: Decodable, Item.ID: Decodable {
  /// Reads a change as the server writes it. Its own `id` names the item; a server that sends none
  /// with an upsert names it by the item's.
  ///
  /// A removal of an item whose id cannot be read is a reset: only beginning again shows which
  /// left.
  ///
  /// - Throws: `DecodingError` for an operation that is not known, or an upsert without its item's
  ///   id.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    operation = try container.decode(Operation.self, forKey: "op")
    seq = try container.decodeIfPresent(String.self, forKey: "seq").map(SequenceNumber.init)
    cursor = try container.decodeIfPresent(String.self, forKey: "cursor").map(FeedCursor.init)
    // Only an item of a merged feed is read with its origin.
    let origin = Item.self is any PartItem.Type ? try? FeedOrigin(from: decoder) : nil
    // An item that cannot be decoded has changed all the same: its id says which.
    item = Self.item(in: container, from: origin)
    hasMoved = (try? container.decodeIfPresent(Bool.self, forKey: "moved")) ?? false
    id = (try? Self.id(in: container, from: origin)) ?? item?.id
    guard id == nil, operation != .reset else { return }
    do {
      id = try Self.id(in: container, from: origin)
    } catch {
      guard operation == .upsert else {
        operation = .reset
        return
      }
      let item = try container.nestedContainer(keyedBy: AnyKey.self, forKey: "item")
      id = try (try? Self.id(in: item, from: origin)) ?? Self.id(ofLike: item)
    }
  }

  /// A like has no id of its own: its user's id names it.
  private static func id(ofLike item: KeyedDecodingContainer<AnyKey>) throws -> Item.ID {
    try id(in: item.nestedContainer(keyedBy: AnyKey.self, forKey: "user"), from: nil)
  }

  private static func item(
    in container: KeyedDecodingContainer<AnyKey>, from origin: FeedOrigin?
  ) -> Item? {
    guard (try? container.decodeNil(forKey: "item")) == false,
      let decoder = try? container.superDecoder(forKey: "item")
    else { return nil }
    return try? Item.item(from: decoder, origin: origin)
  }

  private static func id(
    in container: KeyedDecodingContainer<AnyKey>, from origin: FeedOrigin?
  ) throws -> Item.ID {
    if let origin {
      let number = try? container.decode(Int64.self, forKey: "id")
      let identity =
        try number.map(String.init) ?? container.decode(String.self, forKey: "id")
      if let id = origin.id(of: identity) as? Item.ID { return id }
    }
    do {
      return try container.decode(Item.ID.self, forKey: "id")
    } catch {
      // The server names a removed item by a text, also where an item's own id is a number.
      guard let type = Item.ID.self as? any LosslessStringConvertible.Type,
        let text = try? container.decode(String.self, forKey: "id"),
        let id = type.init(text) as? Item.ID
      else { throw error }
      return id
    }
  }
}

/// What changed in a feed, as far as one reply says.
public struct FeedChangePage<Item: Identifiable & Sendable>: Sendable where Item.ID: Sendable {
  /// The changes, in the order they happened.
  public var changes: [FeedChange<Item>]
  /// Where to ask on.
  public var nextSince: SequenceNumber
  /// Whether more have happened already.
  public var hasMore: Bool
  /// The changes that could not be read.
  public var undecodable: [UndecodableItem]
  /// How old the top is, where it was looked at.
  var freshness: FeedFreshness?
  /// The feed's size, where it was sent.
  var total: FeedTotal?
}

/// A reply to `:changes`.
private struct ChangesDocument<Item: Decodable & Identifiable & Sendable>: Decodable
where Item.ID: Decodable & Sendable {
  var changes: [LenientElement<FeedChange<Item>>]
  var nextSince: String
  var hasMore: Bool
  var freshness: FeedFreshness?
  var total: FeedTotal?
}

extension Feed where Item: Identifiable, Item.ID: Decodable & Sendable {
  /// What changed after a number, in order. Begin with the `seq` of a walk's first slice.
  ///
  /// - Throws: `TsugiError`, `CancellationError`; the error's code is `since_expired` where the
  ///   changes since are no longer kept.
  public func changes(
    since seq: SequenceNumber, limit: Int? = nil
  ) async throws -> FeedChangePage<Item> {
    try await changes(since: seq, limit: limit, refresh: false)
  }

  /// The same; with `refresh` the server looks at the top first and sends how old it is.
  func changes(
    since seq: SequenceNumber, limit: Int? = nil, refresh: Bool
  ) async throws -> FeedChangePage<Item> {
    var target = try itemsTarget(.changes, limit: limit)
    target.add("since", seq.rawValue)
    if refresh { target.add(SliceParameter.refresh.rawValue, "true") }
    let body = try await client.body(of: target)
    let document = try client.decode(ChangesDocument<Item>.self, from: body)
    let (changes, undecodable) = LenientElement.sort(document.changes)
    let next = SequenceNumber(rawValue: document.nextSince)
    guard !document.hasMore || next != seq else { throw TsugiError.standstill }
    logChanges(changes)
    logDropped(undecodable)
    return FeedChangePage(
      changes: changes, nextSince: next, hasMore: document.hasMore, undecodable: undecodable,
      freshness: document.freshness, total: document.total)
  }

  /// Logs how much changed.
  func logChanges(_ changes: [FeedChange<Item>]) {
    guard !changes.isEmpty else { return }
    let upserts = changes.count { $0.operation == .upsert }
    client.log?(
      .changed(feed: path.text, upserts: upserts, removals: changes.count - upserts))
  }
}
