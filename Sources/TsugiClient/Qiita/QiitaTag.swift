public import Foundation

/// A tag of Qiita. Only its id must be there; what is missing or null is nil.
public struct QiitaTag: Identifiable, Hashable, Sendable {
  /// The tag itself, as `Swift` or `C#`.
  public var id: String
  /// Its picture.
  public var iconURL: URL?
  /// How many follow it.
  public var followersCount: Int?
  /// How many articles have it.
  public var itemsCount: Int?

  /// A tag of which the id is known.
  public init(id: String) {
    self.id = id
  }
}

extension QiitaTag: Decodable {
  /// Reads a tag as Qiita writes it.
  ///
  /// - Throws: `DecodingError` where it has no id.
  public init(from decoder: any Decoder) throws {
    let object = try QiitaObject(decoder)
    self.init(id: try object.text("id"))
    iconURL = object.url("icon_url")
    followersCount = object["followers_count"]
    itemsCount = object["items_count"]
  }
}

extension QiitaTag: Encodable {
  /// Writes a tag as Qiita does.
  public func encode(to encoder: any Encoder) throws {
    var object = QiitaWriter(encoder)
    try object.write("id", id)
    try object.write("icon_url", iconURL)
    try object.write("followers_count", followersCount)
    try object.write("items_count", itemsCount)
  }
}
