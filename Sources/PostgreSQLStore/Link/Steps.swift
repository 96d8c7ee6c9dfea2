import Feed

/// The shape of what is shared, and the steps that brought it there.
///
/// A step is taken by comparing and setting `store.format`, in the transaction that it is: of two
/// servers that start together one wins, and the other finds it taken. A step only adds; what it
/// makes unneeded goes one release later.
enum Steps {
  /// The format that this program writes.
  static var format: Int { all.count }
  /// The oldest program, by the format it writes, that may still use what this one writes.
  static let formatOldest = 1

  static let all = [first, second, third, fourth, fifth, sixth, seventh]

  /// One rule holds them together: a change of `flight`, `feed`, `element`, `item` or `log` of a
  /// source moves that source's `revision` in the same transaction. So a statement that compares
  /// the revision decides for all of them, and `number` has no gap and the order of commits.
  /// - `source`: a rate limit of its own is a row named `source:limit`, of which only the budget is
  ///   used.
  /// - `flight`: `token` moves with every claim and every end; `holder` is empty once it ended. The
  ///   memo is thrift only, never truth.
  /// - `feed.stamp`: random with each version, so that two histories never look alike.
  /// - `item`: `number` 0 has not been announced; `digest` names the content that counts.
  /// - `log.kind`: 0 rows, 2 dropped, 3 an item, 4 a purge of answers, which `name` selects.
  private static let first = """
    CREATE TABLE store (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      format int NOT NULL,
      format_oldest int NOT NULL,
      epoch text NOT NULL,
      sequence_floor bigint NOT NULL DEFAULT 0);
    CREATE TABLE source (
      name text PRIMARY KEY,
      revision bigint NOT NULL DEFAULT 0,
      number bigint NOT NULL DEFAULT 0,
      budget_limit int, budget_remaining int, budget_reset_at bigint, learned_from bigint,
      refused_until bigint, openings text NOT NULL DEFAULT '', spent_at bigint,
      content_bytes bigint NOT NULL DEFAULT 0, places bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 50);
    CREATE TABLE replica (
      id text PRIMARY KEY, seen_at timestamptz NOT NULL, program text NOT NULL DEFAULT '',
      listened int NOT NULL DEFAULT 0) WITH (fillfactor = 50);
    CREATE TABLE flight (
      source text NOT NULL, key text NOT NULL, token bigint NOT NULL, holder text NOT NULL,
      until timestamptz NOT NULL, budget text NOT NULL DEFAULT '', memo jsonb NOT NULL DEFAULT '{}',
      PRIMARY KEY (source, key)) WITH (fillfactor = 50);
    CREATE TABLE feed (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL UNIQUE, source text NOT NULL, realm text NOT NULL,
      ordering text NOT NULL, version bigint NOT NULL, stamp bigint NOT NULL,
      sequence bigint NOT NULL, changes_floor bigint NOT NULL DEFAULT 0,
      timeline jsonb NOT NULL, read_at bigint);
    CREATE INDEX feed_by_read_at ON feed (read_at);
    CREATE TABLE element (
      feed bigint NOT NULL, ord bigint NOT NULL, tie bytea NOT NULL,
      state smallint NOT NULL, item bigint NOT NULL, id bytea NOT NULL, updated_at bigint,
      sent_at bigint NOT NULL, missing_since bigint, sequence bigint NOT NULL,
      version bigint NOT NULL,
      PRIMARY KEY (feed, ord, tie));
    CREATE INDEX element_by_version ON element (feed, version);
    CREATE INDEX element_by_id ON element (id, feed);
    CREATE INDEX element_by_item ON element (item);
    CREATE TABLE item (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      source text NOT NULL, realm text NOT NULL, id bytea NOT NULL,
      is_number boolean NOT NULL DEFAULT false, sent_at bigint NOT NULL,
      digest bigint, number bigint NOT NULL DEFAULT 0, size int NOT NULL DEFAULT 0,
      UNIQUE (realm, id));
    CREATE INDEX item_by_number ON item (source, number);
    CREATE TABLE content (
      item bigint NOT NULL, digest bigint NOT NULL, bytes bytea NOT NULL,
      at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (item, digest));
    ALTER TABLE content ALTER bytes SET STORAGE EXTERNAL;
    CREATE TABLE log (
      source text NOT NULL, number bigint NOT NULL, feed bigint NOT NULL, name text NOT NULL,
      version bigint NOT NULL, stamp bigint NOT NULL, kind smallint NOT NULL DEFAULT 0,
      cut_ord bigint, cut_tie bytea, at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (source, number));
    CREATE INDEX log_by_name ON log (name, version);
    CREATE TABLE duty (name text PRIMARY KEY, holder text NOT NULL, until timestamptz NOT NULL);
    """

  /// The latest `Date` of a source's answers, and when the one with it was made: by it one that
  /// lags is known, whichever server asked.
  private static let second = """
    ALTER TABLE source ADD COLUMN clock_date bigint, ADD COLUMN clock_made_at bigint;
    """

  /// By which recipe a feed's rows were written: its fingerprint, NULL where that is not known.
  private static let third = "ALTER TABLE feed ADD COLUMN recipe bigint"

  /// All calls of a source in the last period: see ``RecentCalls``.
  private static let fourth = "ALTER TABLE source ADD COLUMN calls text NOT NULL DEFAULT ''"

  /// The token of a call's last end that took effect: one whose acknowledgement was lost is not
  /// made again.
  private static let fifth = "ALTER TABLE flight ADD COLUMN ended bigint"

  /// Up to when a site has paid for the feeds that it opens, in microseconds since 1970.
  private static let sixth = """
    CREATE TABLE opening (site text PRIMARY KEY, paid_until bigint NOT NULL) WITH (fillfactor = 50)
    """

  /// What else the upstreams have answered, for the raw route (RFC 9111):
  /// - `name`: the source's, with the configuration that its answers are of.
  /// - `target_digest`, `variant_digest`: a target or variant may be too long for an index.
  /// - `fields`, `request`: lines of name, colon, value.
  /// - `used`: minutes since 1970, for eviction; `size`: what it counts as.
  private static let seventh = """
    CREATE TABLE answer (
      source text NOT NULL, name text NOT NULL, target_digest bytea NOT NULL,
      variant_digest bytea NOT NULL, target text NOT NULL, status int NOT NULL,
      fields bytea NOT NULL, request bytea NOT NULL, asked_at bigint NOT NULL,
      responded_at bigint NOT NULL, used bigint NOT NULL, size bigint NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (name, target_digest, variant_digest));
    ALTER TABLE answer ALTER body SET STORAGE EXTERNAL;
    CREATE INDEX answer_by_source ON answer (source);
    CREATE INDEX log_of_purges ON log (source, at) WHERE kind = 4
    """

  /// What the shared store says of itself; nil where it was never begun.
  static func standing(
    on link: Link
  ) throws(SQLFailure) -> (format: Int, oldest: Int, epoch: String)? {
    do throws(SQLFailure) {
      let result = try link.run(SQL("SELECT format, format_oldest, epoch FROM store"))
      guard let row = result.first else { return nil }
      return (Int((try? row.integer(0)) ?? 0), Int((try? row.integer(1)) ?? 0), row.text(2))
    } catch {
      // There is no such table.
      if case .refused("42P01", _) = error { return nil }
      throw error
    }
  }

  /// Takes the steps that were not taken yet.
  static func take(on link: Link, epoch: String) throws(SQLFailure) {
    for number in all.indices {
      let standing = try standing(on: link)
      guard standing?.format ?? 0 <= number else { continue }
      var statements = all[number].split(separator: ";").map(String.init)
        .filter { $0.contains { !$0.isWhitespace } }.map { SQL($0) }
      if number == 0 {
        statements.append(
          SQL(
            "INSERT INTO store (format, format_oldest, epoch) VALUES (1, $1, $2)", formatOldest,
            epoch))
      } else {
        statements.append(
          SQL(
            """
            UPDATE store SET format = CASE WHEN format = $1::int THEN $2::int END,
              format_oldest = $3
            """, number, number + 1, formatOldest))
      }
      do throws(SQLFailure) {
        _ = try link.transaction(statements)
      } catch {
        // Somebody else took it: then it is found taken.
        guard link.isSound, let now = try Steps.standing(on: link), now.format > number
        else { throw error }
      }
    }
  }
}
