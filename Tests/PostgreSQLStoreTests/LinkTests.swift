import Testing

@testable import PostgreSQLStore

/// A connection, as far as libpq's words say what became of it.
@Suite struct LinkTests {
  @Test(arguments: [
    (
      #"connection to server at "::1", port 5432 failed: FATAL:  28P01: "#
        + #"password authentication failed for user "tsugi""#,
      "28P01"
    ),
    (#"… failed: FATAL:  3D000: database "none" does not exist"#, "3D000"),
    // In the server's language.
    (#"… failed: SCHWERWIEGEND:  28000: Rolle »x« existiert nicht"#, "28000"),
    (#"connection to server at "db", port 54321 failed: Connection refused"#, nil),
    (#"could not translate host name "db" to address: Name or service not known"#, nil),
    ("ERROR: other: words", nil), ("", nil),
  ])
  func findsTheSQLSTATEOfARefusal(message: String, state: String?) {
    #expect(Link.denial(in: message) == state)
  }

  @Test(arguments: [
    ("postgresql://tsugi:secret@db:5432/tsugi?sslmode=require", true), ("postgres:///tsugi", true),
    ("host=db dbname=tsugi", true), ("service=tsugi", true), ("mysql://tsugi@db/tsugi", false),
    ("tsugi", false), ("postgresql://db/tsugi?unknown=1", false), ("host", false),
  ])
  func knowsAURLOfPostgreSQL(url: String, isOne: Bool) {
    #expect(Link.reads(url) == isOne)
  }
}
