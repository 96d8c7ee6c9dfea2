import CSQLite
import Feed

/// The shape of the database file, and the steps that brought it there.
///
/// `user_version` counts the steps a file has taken; a step, once released, never changes.
enum Schema {
  /// Marks a file as ours in its header: "Tsug".
  static let applicationID: Int64 = 0x5473_7567

  /// The version that this program writes.
  static var version: Int { steps.count }

  /// The steps from an empty file to ``version``, each run once, in order.
  static let steps = [
    first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth,
    eleventh, twelfth,
  ]

  /// What is kept from the first, and why so:
  /// - `store`: one row. `epoch` is made with the file. A feed made again counts on from
  ///   `sequence_floor`, which the drop of a feed raises to its `sequence`, so that no number is
  ///   ever sent twice.
  /// - `source`: what is left of its budget, one row that several servers could share.
  /// - `feed`: `read_at` is for eviction, least recently read first. `lease_owner` and
  ///   `lease_until` are for several servers on one store: only the holder fetches. Those two are
  ///   room only, nothing writes them yet.
  /// - `proof`: ranges, clustered by feed and upper bound.
  /// - `element`: places, tombstones (`state` 2) included, clustered by position, so that a slice
  ///   is one scan of small rows. `sent_at` is of the last answer that spoke of the element;
  ///   `sequence` is the last number it took, 0 when none, below 0 where it was merely learnt.
  /// - `item`: one row an item and realm, however many feeds it stands in. One without `content`
  ///   is known to be deleted.
  /// - `content`: the bytes, apart from all that is small, found by integer.
  ///
  /// Instants are milliseconds since 1970, `updated_at` is seconds. Ties and identities are BLOBs,
  /// whose order is that of their bytes. Foreign keys are not declared: every row is written here.
  private static let first = """
    CREATE TABLE store (
      epoch TEXT NOT NULL,
      sequence_floor INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE source (
      name TEXT NOT NULL PRIMARY KEY,
      budget_limit INTEGER,
      budget_remaining INTEGER NOT NULL,
      budget_reset_at INTEGER
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE feed (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      source TEXT NOT NULL,
      realm TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      looked_at INTEGER,
      total INTEGER,
      total_as_of INTEGER,
      read_at INTEGER,
      lease_owner TEXT,
      lease_until INTEGER
    ) STRICT;

    CREATE TABLE proof (
      feed INTEGER NOT NULL,
      upper_order INTEGER NOT NULL,
      upper_tie BLOB NOT NULL,
      lower_order INTEGER NOT NULL,
      lower_tie BLOB NOT NULL,
      proven_at INTEGER NOT NULL,
      count INTEGER NOT NULL,
      rank_below INTEGER NOT NULL,
      PRIMARY KEY (feed, upper_order, upper_tie)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE element (
      feed INTEGER NOT NULL,
      ord INTEGER NOT NULL,
      tie BLOB NOT NULL,
      state INTEGER NOT NULL,
      item INTEGER NOT NULL,
      id BLOB NOT NULL,
      updated_at INTEGER,
      sent_at INTEGER NOT NULL,
      missing_since INTEGER,
      sequence INTEGER NOT NULL,
      PRIMARY KEY (feed, ord, tie)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX element_by_id ON element (id, feed);
    CREATE INDEX element_by_sequence ON element (feed, sequence);

    CREATE TABLE item (
      key INTEGER PRIMARY KEY,
      realm TEXT NOT NULL,
      id BLOB NOT NULL,
      sent_at INTEGER NOT NULL,
      UNIQUE (realm, id)
    ) STRICT;

    CREATE TABLE content (
      item INTEGER PRIMARY KEY,
      bytes BLOB NOT NULL
    ) STRICT;
    """

  /// Columns for eviction:
  /// - `feed.ordering`: by what it is ordered, ``FeedOrder``'s own words; decides how it is cut.
  /// - `feed.changes_floor`: changes are complete only after this number; rows that took earlier
  ///   ones may have been evicted.
  /// - `lineage`: the names an observed feed's positions were sent under, `number` counting up.
  private static let second = """
    ALTER TABLE feed ADD COLUMN ordering TEXT NOT NULL DEFAULT 'value';
    ALTER TABLE feed ADD COLUMN changes_floor INTEGER NOT NULL DEFAULT 0;
    UPDATE feed SET ordering = CASE
      WHEN realm LIKE '%#own' THEN 'whole'
      WHEN EXISTS (SELECT 1 FROM element WHERE feed = feed.key AND tie = x'') THEN 'observed'
      ELSE 'value' END;

    CREATE TABLE lineage (
      feed INTEGER NOT NULL,
      number INTEGER NOT NULL,
      name INTEGER NOT NULL,
      floor_order INTEGER NOT NULL,
      floor_tie BLOB NOT NULL,
      PRIMARY KEY (feed, number)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO lineage
      SELECT key, 0, random(), \(Int64.min), x'' FROM feed WHERE ordering <> 'value';
    """

  /// What a restart must not forget of a source:
  /// - `openings`: its calls for feeds not yet stored, ``RecentCalls``.
  /// - `spent_at`: when its last call was sent, no later than the clock of a process to come.
  private static let third = """
    ALTER TABLE source ADD COLUMN openings TEXT NOT NULL DEFAULT '';
    ALTER TABLE source ADD COLUMN spent_at INTEGER;
    """

  /// What walks must not be given twice: `move`, the last elements of a feed that were found
  /// further down than they stood, ``Move``.
  private static let fourth = """
    CREATE TABLE move (
      feed INTEGER NOT NULL,
      number INTEGER NOT NULL,
      id BLOB NOT NULL,
      from_order INTEGER NOT NULL,
      from_tie BLOB NOT NULL,
      to_order INTEGER NOT NULL,
      to_tie BLOB NOT NULL,
      PRIMARY KEY (feed, number)
    ) STRICT, WITHOUT ROWID;
    """

  /// What is sent of an item that is gone: `item.is_number`, whether its identity stands in its
  /// JSON as a number. Of an item that was kept before it is not known until it comes again.
  private static let fifth = """
    ALTER TABLE item ADD COLUMN is_number INTEGER NOT NULL DEFAULT 0;
    """

  /// What a join is believed by that is not proven: `proof.belief`, a word of ``JoinProof``.
  private static let sixth = """
    ALTER TABLE proof ADD COLUMN belief TEXT;
    """

  /// Where the file is a copy of the shared store:
  /// - `feed.version` and `feed.stamp`: which of the feed's states the copy has.
  /// - `shared`: up to which number a source's news were taken in.
  ///
  /// A content that is known and not here yet is an empty one.
  private static let seventh = """
    ALTER TABLE feed ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE feed ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE shared (
      source TEXT NOT NULL PRIMARY KEY,
      number INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """

  /// What else an upstream has answered, RFC 9111's answers:
  /// - `target`: path and query, as bytes, whose order puts those together that begin alike.
  /// - `variant`: what the request said of the fields that `Vary` names, which `request` holds.
  /// - `fields`, `request`: lines of name, colon, value.
  /// - `used`: minutes since 1970, for eviction.
  /// - `size`: what it counts as.
  private static let eighth = """
    CREATE TABLE answer (
      key INTEGER PRIMARY KEY,
      source TEXT NOT NULL,
      target BLOB NOT NULL,
      variant BLOB NOT NULL,
      status INTEGER NOT NULL,
      fields BLOB NOT NULL,
      request BLOB NOT NULL,
      asked_at INTEGER NOT NULL,
      responded_at INTEGER NOT NULL,
      used INTEGER NOT NULL,
      size INTEGER NOT NULL,
      body BLOB NOT NULL,
      UNIQUE (source, target, variant)
    ) STRICT;

    CREATE INDEX answer_by_use ON answer (source, used, asked_at, size);
    """

  /// By which recipe a feed's rows were written: `feed.recipe`, its fingerprint; NULL where that is
  /// not known.
  private static let ninth = """
    ALTER TABLE feed ADD COLUMN recipe INTEGER;
    """

  /// How a declared rate is kept over a restart:
  /// - `source.calls`: all its calls of the last period, ``RecentCalls``.
  /// - `source.refused_until`: until when the upstream refuses every call.
  private static let tenth = """
    ALTER TABLE source ADD COLUMN calls TEXT NOT NULL DEFAULT '';
    ALTER TABLE source ADD COLUMN refused_until INTEGER;
    """

  /// What its answers claim of a feed and is not believed yet: `feed.doubts`, see
  /// ``Doubts/text``.
  private static let eleventh = """
    ALTER TABLE feed ADD COLUMN doubts TEXT NOT NULL DEFAULT '';
    """

  /// Where an item stands is found by its key. Keys count up, so what is new comes at the index's
  /// end, and not, as by identities without an order, in a page of its own for each item.
  private static let twelfth = """
    DROP INDEX element_by_id;
    CREATE INDEX element_by_item ON element (item, feed);
    """

  /// Whose a file is, as its header says.
  enum Owner: Equatable {
    /// No program's: it has no tables.
    case unclaimed
    /// Tsugi's, of a version.
    case tsugi(version: Int)
    /// Another program's.
    case another
  }

  /// Reads whose the file is. Changes nothing. Throws `.newerVersion` for a later program's.
  static func owner(on connection: borrowing Connection) throws(StoreError) -> Owner {
    let mark = try connection.integer("PRAGMA application_id")
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
    switch (mark, tables) {
    case (applicationID, _):
      let version = Int(try connection.integer("PRAGMA user_version"))
      // Both marks are made together.
      guard version > 0 else { throw .corrupt(message: "user_version is \(version)") }
      guard version <= Schema.version else {
        throw .newerVersion(version: version, supported: Schema.version)
      }
      return .tsugi(version: version)
    case (0, 0): return .unclaimed
    default: return .another
    }
  }

  /// Takes the steps that the file has not taken yet, all or none, and makes the epoch with it.
  static func migrate(
    from version: Int, on connection: borrowing Connection, epoch: String? = nil
  ) throws(StoreError) {
    guard version < Schema.version else { return }
    try connection.transaction { () throws(StoreError) in
      for step in steps[version...] {
        try connection.execute(step)
      }
      if version == 0 {
        try connection.prepare("INSERT INTO store (epoch) VALUES (?)").run(
          epoch ?? SequenceNumber.madeEpoch())
      }
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(Schema.version)")
    }
  }
}
