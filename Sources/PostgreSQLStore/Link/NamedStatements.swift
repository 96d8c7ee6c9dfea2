import Feed

/// The statements of one connection that PostgreSQL has read already, so that they are sent by
/// name: each that is sent a second time.
///
/// A pooler may give each transaction another session, where a name is missing or taken. So a name
/// is made of the statement's text, and stands for the same one in every session; and a connection
/// on which that happens uses no names from then on.
struct NamedStatements {
  /// The most statements that have a name; of the program's own there are fewer.
  static let countMax = 200

  /// What PostgreSQL says of a name that its session does not know, that it knows already, and of
  /// one whose columns have changed since.
  static let refusals: Set<String> = ["26000", "42P05", "0A000"]

  private var isUsed = true
  private var seen: Set<Int64> = []
  private var named: Set<Int64> = []

  /// How a statement is sent.
  enum Sending: Hashable {
    case unnamed
    /// By a name; `isNew` where PostgreSQL has to be given it before.
    case named(Int64, isNew: Bool)
  }

  /// How to send a statement now.
  mutating func sending(_ text: String) -> Sending {
    guard isUsed else { return .unnamed }
    let digest = SharedItem.digest(of: Array(text.utf8))
    if named.contains(digest) { return .named(digest, isNew: false) }
    guard !seen.insert(digest).inserted, named.count < NamedStatements.countMax else {
      if seen.count > 4 * NamedStatements.countMax { seen = [] }
      return .unnamed
    }
    named.insert(digest)
    return .named(digest, isNew: true)
  }

  /// Notes that PostgreSQL has not taken a name.
  mutating func remove(_ name: Int64) { named.remove(name) }

  /// Ends the use of names where a failure was theirs. Returns whether it was: then nothing was
  /// done, and the same can be sent without names.
  mutating func end(after failure: SQLFailure) -> Bool {
    guard isUsed, case .refused(let state, _) = failure,
      NamedStatements.refusals.contains(state)
    else { return false }
    isUsed = false
    return true
  }
}
