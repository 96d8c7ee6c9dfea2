public import Foundation

/// A user of Qiita. Only its id must be there; what is missing or null is nil.
public struct QiitaUser: Identifiable, Hashable, Sendable {
  /// The name in URLs, as `name` or `name@github`.
  public var id: String
  /// The number that stays when the name changes.
  public var permanentID: Int?
  /// The name shown.
  public var name: String?
  /// What the user says of themselves.
  public var description: String?
  /// The user's picture.
  public var profileImageURL: URL?
  /// The user's own site, as it was written.
  public var websiteURL: String?
  /// Where the user works.
  public var organization: String?
  /// Where the user is.
  public var location: String?
  /// The name at GitHub.
  public var githubLoginName: String?
  /// The name at Twitter.
  public var twitterScreenName: String?
  /// The name at Facebook.
  public var facebookID: String?
  /// The name at LinkedIn.
  public var linkedinID: String?
  /// How many follow the user.
  public var followersCount: Int?
  /// How many the user follows.
  public var followeesCount: Int?
  /// How many articles the user wrote.
  public var itemsCount: Int?
  /// Whether the user is of a team only.
  public var isTeamOnly: Bool?

  /// A user of whom the id is known.
  public init(id: String) {
    self.id = id
  }
}

extension QiitaUser: Decodable {
  /// Reads a user as Qiita writes it.
  ///
  /// - Throws: `DecodingError` where it has no id.
  public init(from decoder: any Decoder) throws {
    let object = try QiitaObject(decoder)
    self.init(id: try object.text("id"))
    permanentID = object["permanent_id"]
    name = object["name"]
    description = object["description"]
    profileImageURL = object.url("profile_image_url")
    websiteURL = object["website_url"]
    organization = object["organization"]
    location = object["location"]
    githubLoginName = object["github_login_name"]
    twitterScreenName = object["twitter_screen_name"]
    facebookID = object["facebook_id"]
    linkedinID = object["linkedin_id"]
    followersCount = object["followers_count"]
    followeesCount = object["followees_count"]
    itemsCount = object["items_count"]
    isTeamOnly = object["team_only"]
  }
}

extension QiitaUser: Encodable {
  /// Writes a user as Qiita does.
  public func encode(to encoder: any Encoder) throws {
    var object = QiitaWriter(encoder)
    try object.write("id", id)
    try object.write("permanent_id", permanentID)
    try object.write("name", name)
    try object.write("description", description)
    try object.write("profile_image_url", profileImageURL)
    try object.write("website_url", websiteURL)
    try object.write("organization", organization)
    try object.write("location", location)
    try object.write("github_login_name", githubLoginName)
    try object.write("twitter_screen_name", twitterScreenName)
    try object.write("facebook_id", facebookID)
    try object.write("linkedin_id", linkedinID)
    try object.write("followers_count", followersCount)
    try object.write("followees_count", followeesCount)
    try object.write("items_count", itemsCount)
    try object.write("team_only", isTeamOnly)
  }
}
