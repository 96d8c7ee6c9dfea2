/// The elements of answers as bytes: keys, their order and their escapes as at Qiita.
extension World {
  /// Elements of a listing; see `window`.
  func json(_ elements: [Int], of listing: Listing) -> [[UInt8]] {
    switch listing {
    case .items, .list(.tag), .list(.stocks):
      return elements.map { itemJSON($0) }
    case .users, .list(.followers), .list(.followees), .list(.stockers):
      return elements.map(userJSON)
    case .tags, .list(.followingTags):
      let counts = itemsPerTag()
      return elements.map { tagJSON($0, items: counts[$0]) }
    }
  }

  /// An item: recorded bytes as they are, or made again from its seed and version.
  ///
  /// `views` is what its author sees of its `page_views_count`; others see null.
  func itemJSON(_ serial: Int, views: Int? = nil) -> [UInt8] {
    if let recorded = recorded(serial) { return Array(recorded.bytes) }
    let record = records[serial]
    let id = record.id.text
    let text = paragraphs(of: serial)
    return RailsJSON.object([
      ("rendered_body", .escaped(text.map(\.html))),
      ("body", .escaped(text.map(\.markdown))),
      ("coediting", .flag(false)),
      ("comments_count", .number(record.comments)),
      ("created_at", .text(CivilTime.japaneseText(record.createdAt))),
      ("group", .null),
      ("id", .text(id)),
      ("likes_count", .number(record.likes)),
      ("private", .flag(false)),
      ("reactions_count", .number(0)),
      ("stocks_count", .number(record.likes / 2)),
      ("tags", .array(tags(of: serial).map(taggingJSON))),
      ("title", .text(title(of: serial))),
      ("updated_at", .text(CivilTime.japaneseText(record.updatedAt))),
      ("url", .text("https://qiita.com/\(users[record.user].id)/items/\(id)")),
      ("user", .json(userJSON(record.user))),
      ("page_views_count", views.map { .number($0) } ?? .null),
      ("team_membership", .null),
      ("organization_url_name", record.user % 7 == 0 ? .text("org-\(record.user % 20)") : .null),
      ("slide", .flag(false)),
    ])
  }

  /// A user: as recorded, or made.
  func userJSON(_ number: Int) -> [UInt8] {
    if let recording, number < recording.users.count { return Array(recording.users[number].bytes) }
    let user = users[number]
    let image = "https://qiita-image-store.s3.amazonaws.com/0/\(number)/profile-images/17"
    return RailsJSON.object([
      ("description", number % 3 == 0 ? .null : .text("エンジニアです。\r\n<Swift> & Rust")),
      ("facebook_id", number % 2 == 0 ? .null : .text("")),
      ("followees_count", .number(user.followees)),
      ("followers_count", .number(user.followers)),
      ("github_login_name", number % 4 == 0 ? .text(user.id) : .null),
      ("id", .text(user.id)),
      ("items_count", .number(user.items)),
      ("linkedin_id", number % 2 == 0 ? .null : .text("")),
      ("location", number % 5 == 0 ? .text("東京") : .null),
      ("name", .text(number % 3 == 0 ? "" : "田中 \(number)")),
      ("organization", number % 6 == 0 ? .text("株式会社 例") : .null),
      ("permanent_id", .number(number + 1_000)),
      ("profile_image_url", .text(image)),
      ("team_only", .flag(false)),
      ("twitter_screen_name", .null),
      ("website_url", number % 2 == 0 ? .null : .text("https://example.com/?a=1&b=\(number)")),
    ])
  }

  /// A tag that so many items have.
  func tagJSON(_ number: Int, items: Int) -> [UInt8] {
    RailsJSON.object([
      ("followers_count", .number(number * 37 % 5_000)),
      ("icon_url", number % 3 == 0 ? .null : .text("https://example.com/tags/\(number).png")),
      ("id", .text(tags[number])),
      ("items_count", .number(items)),
    ])
  }

  /// The comments of an item, the latest first.
  func commentsJSON(of serial: Int) -> [[UInt8]] {
    (0..<records[serial].comments).reversed().map { commentJSON(serial, $0) }
  }

  /// One comment; its id says which.
  func commentJSON(_ serial: Int, _ number: Int) -> [UInt8] {
    let id = Self.commentID(serial, number)
    let second = CivilTime.japaneseText(records[serial].createdAt + Int64(600 * (number + 1)))
    return RailsJSON.object([
      ("body", .text("参考になりました！ **\(number)** <br>")),
      ("created_at", .text(second)),
      ("id", .text(id)),
      ("rendered_body", .text("<p>参考になりました！ <strong>\(number)</strong> <br></p>\n")),
      ("updated_at", .text(second)),
      ("user", .json(userJSON((serial + number * 7) % users.count))),
    ])
  }

  /// The comment with an id, when its item is there.
  func commentJSON(id: String) -> [UInt8]? {
    guard id.utf8.count == 20, let number = Int(id.prefix(4), radix: 16),
      let serial = Int(id.suffix(16), radix: 16), serial < records.count,
      records[serial].goneStep == nil, number < records[serial].comments
    else { return nil }
    return commentJSON(serial, number)
  }

  /// The likes of an item, the latest first; no element has an id and no user stands twice.
  func likesJSON(of serial: Int) -> [[UInt8]] {
    let record = records[serial]
    let fans = Permutation(
      of: users.count, seed: SeededGenerator.mixed(options.seed, serial, 16))
    return (0..<min(record.likes, users.count)).reversed().map { place in
      RailsJSON.object([
        ("created_at", .text(CivilTime.japaneseText(record.createdAt + Int64(60 * (place + 1))))),
        ("user", .json(userJSON(fans[place]))),
      ])
    }
  }

  private static func commentID(_ serial: Int, _ number: Int) -> String {
    func hexadecimal(_ value: Int, _ width: Int) -> String {
      let digits = String(value, radix: 16)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return hexadecimal(number, 4) + hexadecimal(serial, 16)
  }

  private func taggingJSON(_ number: Int) -> [UInt8] {
    RailsJSON.object([("name", .text(tags[number])), ("versions", .array([]))])
  }

  private func paragraphs(of serial: Int) -> [Prose.Paragraph] {
    var generator = SeededGenerator(seed: options.seed, serial, 2)
    let bytes = options.bodyBytes ?? Prose.bodyBytes(from: &generator)
    let version = records[serial].version
    guard version > 0 else { return Prose.paragraphs(about: bytes, from: &generator) }
    let note = Prose.Paragraph("追記 \(version)", "<p>追記 \(version)</p>")
    return [note] + Prose.paragraphs(about: bytes, from: &generator)
  }
}
