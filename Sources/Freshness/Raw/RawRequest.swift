package import Feed

/// A request for what an upstream has at a target.
package struct RawRequest: Hashable, Sendable {
  /// Path and query as the upstream is asked for them: `/users/1?full=1`.
  package var target: String
  /// Whether only the head is asked for.
  package var isHead: Bool
  /// The client's end-to-end fields: what it says of caching, of what it has, of the part it wants.
  package var fields: FieldList
  /// Those of them that are sent upstream, and so may select an answer.
  package var forwarded: FieldList

  /// A request from its parts.
  package init(
    target: String, isHead: Bool = false, fields: FieldList = [], forwarded: FieldList = []
  ) {
    (self.target, self.isHead) = (target, isHead)
    (self.fields, self.forwarded) = (fields, forwarded)
  }

  /// The fields by which is judged what may be kept: those that were sent, and what the client says
  /// of keeping whether that is sent or not.
  package var judged: FieldList {
    FieldList(
      forwarded.without(["cache-control", "pragma"]).lines
        + fields.only(["cache-control", "pragma"]).lines)
  }

  /// The first of some answers that is one to it.
  package func selected(of answers: [RawAnswer]) -> RawAnswer? {
    answers.first { Variants.selects($0.head, forwarded) }
  }

  /// Whether other requests may wait for its call: it carries no credentials, and lets its answer
  /// be kept.
  package var isShareable: Bool {
    !forwarded.has("authorization") && !forwarded.has("cookie")
      && !Directives(fields).has("no-store")
  }
}

/// A request as it is sent upstream.
package struct OutgoingRequest: Hashable, Sendable {
  /// Path and query, after the base URL.
  package var target: String
  /// Whether only the head is asked for.
  package var isHead: Bool
  /// The fields that go along.
  package var fields: FieldList

  /// A request from its parts.
  package init(target: String, isHead: Bool, fields: FieldList) {
    (self.target, self.isHead, self.fields) = (target, isHead, fields)
  }
}

/// A whole answer, with its content.
package struct RawAnswer: Hashable, Sendable {
  /// Status, fields and times.
  package var head: StoredAnswer
  /// The content as it came, never decompressed. Empty for the answer to a HEAD.
  package var body: [UInt8]

  /// An answer from its parts.
  package init(head: StoredAnswer, body: [UInt8]) {
    (self.head, self.body) = (head, body)
  }

  /// About how many bytes it takes.
  package var byteCount: Int {
    (head.fields.lines + head.asked.lines).reduce(body.count + RawAnswer.ownBytes) {
      $0 + $1.name.utf8.count + $1.value.count + RawAnswer.lineBytes
    }
  }

  /// What it counts as in a store: the names of its target and variant stand in the row and in the
  /// index.
  package func storedByteCount(target: [UInt8], variant: [UInt8]) -> Int {
    byteCount + 2 * (target.count + variant.count)
  }

  /// An answer as it was stored, with the fields of the answer and of its request (see
  /// ``FieldList/stored``); nil where the status is none of a final answer (RFC 9110 §15).
  package init?(
    status: Int, fields: [UInt8], request: [UInt8], body: [UInt8], askedAt: Timestamp,
    respondedAt: Timestamp
  ) {
    guard (200...599).contains(status) else { return nil }
    self.init(
      head: StoredAnswer(
        status: status, fields: FieldList(stored: fields), to: FieldList(stored: request),
        askedAt: askedAt.milliseconds, respondedAt: respondedAt.milliseconds),
      body: body)
  }

  /// What it takes besides its parts, and each line besides its text.
  private static let (ownBytes, lineBytes) = (256, 48)
}
