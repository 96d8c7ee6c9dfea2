public import Wire

extension Feed {
  /// How the feed stands on the server: what it knows of it, its gaps, and the calls left.
  ///
  /// - Throws: `TsugiError`, `CancellationError`.
  public func status() async throws -> StatusEnvelope {
    try await ask(.status)
  }

  /// Has the server fill a gap, or some of it, and returns how far it came. Lists fill theirs by
  /// themselves; this is for an app that walks by ``slice(_:)``.
  ///
  /// - Throws: `TsugiError`, `CancellationError`; the error's code is `gap_not_found` where there
  ///   is none of this name any more.
  public func fill(gap id: String) async throws -> FillEnvelope {
    try await ask(.fill, ["gap": id])
  }

  private func ask<Answer: Decodable>(
    _ verb: FeedVerb, _ parameters: KeyValuePairs<String, String> = [:]
  ) async throws -> Answer {
    var target = try self.target(verb)
    for (name, value) in parameters { target.add(name, value) }
    let method = verb.isAction ? "POST" : "GET"
    return try client.decode(
      Answer.self, from: try await client.body(of: target, method: method))
  }
}
