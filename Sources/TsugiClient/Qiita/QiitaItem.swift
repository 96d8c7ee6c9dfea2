public import Foundation

/// An article of Qiita.
///
/// Only its id must be there: Qiita's schema grew over the years, and `fields` cuts it. What is
/// missing or null is nil; what is unknown is passed over.
public struct QiitaItem: Identifiable, Hashable, Sendable {
  /// Twenty hexadecimal digits.
  public var id: String
  /// Its title; empty where it was not sent.
  public var title = ""
  /// Its page at Qiita.
  public var url: URL?
  /// Its text in Markdown.
  public var body: String?
  /// Its text in HTML.
  public var renderedBody: String?
  /// When it was made public first.
  public var createdAt: Date?
  /// When it was edited last.
  public var updatedAt: Date?
  /// Who wrote it.
  public var user: QiitaUser?
  /// What it is about.
  public var tags: [QiitaTagging] = []
  /// How many like it.
  public var likesCount: Int?
  /// How many reacted to it.
  public var reactionsCount: Int?
  /// How many stocked it.
  public var stocksCount: Int?
  /// How many comments it has.
  public var commentsCount: Int?
  /// How often it was viewed: only in the owner's own items.
  public var pageViewsCount: Int?
  /// Whether it is shown to those with its URL only.
  public var isPrivate: Bool?
  /// Whether several people edit it.
  public var isCoediting: Bool?
  /// Whether it is shown as slides.
  public var isSlide: Bool?
  /// The organization it belongs to.
  public var organizationURLName: String?

  /// An article of which its id is known.
  public init(id: String, title: String = "") {
    self.id = id
    self.title = title
  }
}

extension QiitaItem: Decodable {
  /// Reads an article as Qiita writes it.
  ///
  /// - Throws: `DecodingError` where it has no id.
  public init(from decoder: any Decoder) throws {
    let object = try QiitaObject(decoder)
    self.init(id: try object.text("id"), title: object["title"] ?? "")
    url = object.url("url")
    body = object["body"]
    renderedBody = object["rendered_body"]
    createdAt = object.date("created_at")
    updatedAt = object.date("updated_at")
    user = object["user"]
    tags = object["tags"] ?? []
    likesCount = object["likes_count"]
    reactionsCount = object["reactions_count"]
    stocksCount = object["stocks_count"]
    commentsCount = object["comments_count"]
    pageViewsCount = object["page_views_count"]
    isPrivate = object["private"]
    isCoediting = object["coediting"]
    isSlide = object["slide"]
    organizationURLName = object["organization_url_name"]
  }
}

extension QiitaItem: Encodable {
  /// Writes an article as Qiita does.
  public func encode(to encoder: any Encoder) throws {
    var object = QiitaWriter(encoder)
    try object.write("id", id)
    try object.write("title", title)
    try object.write("url", url)
    try object.write("body", body)
    try object.write("rendered_body", renderedBody)
    try object.write("created_at", createdAt)
    try object.write("updated_at", updatedAt)
    try object.write("user", user)
    try object.write("tags", tags)
    try object.write("likes_count", likesCount)
    try object.write("reactions_count", reactionsCount)
    try object.write("stocks_count", stocksCount)
    try object.write("comments_count", commentsCount)
    try object.write("page_views_count", pageViewsCount)
    try object.write("private", isPrivate)
    try object.write("coediting", isCoediting)
    try object.write("slide", isSlide)
    try object.write("organization_url_name", organizationURLName)
  }
}

/// A tag as an article has it.
public struct QiitaTagging: Hashable, Sendable, Decodable {
  /// The tag.
  public var name: String
  /// The versions it is about.
  public var versions: [String]

  /// A tag of an article.
  public init(name: String, versions: [String] = []) {
    self.name = name
    self.versions = versions
  }

  /// Reads a tag as Qiita writes it.
  ///
  /// - Throws: `DecodingError` where it has no name.
  public init(from decoder: any Decoder) throws {
    let object = try QiitaObject(decoder)
    self.init(name: try object.text("name"), versions: object["versions"] ?? [])
  }
}

extension QiitaTagging: Encodable {
  /// Writes a tag of an article as Qiita does.
  public func encode(to encoder: any Encoder) throws {
    var object = QiitaWriter(encoder)
    try object.write("name", name)
    try object.write("versions", versions)
  }
}
