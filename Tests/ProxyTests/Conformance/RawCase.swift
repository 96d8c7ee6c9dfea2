/// A request as the bytes a peer sends, and what has to come back, by a clause of RFC 9110 ("S"
/// for semantics) or RFC 9112 ("M" for messages).
///
/// The runner sends a probe right behind the request: it is answered where the connection stays
/// open, and is not where it closes. So nothing here waits for a time to pass.
struct RawCase: CustomStringConvertible {
  var clause: String
  /// `TAG` stands for the entity tag of `/v1/qiita/items?limit=3`.
  var request: String
  /// The statuses that come back, the probe's aside.
  var statuses: [Int]
  var keepsOpen: Bool
  /// What the last answer has: `Name: value`, `Name`, or `!Name` for one it has not.
  var fields: [String]

  var isHead: Bool { request.hasPrefix("HEAD ") }
  var description: String { "\(clause) \(request.debugDescription.prefix(120))" }

  /// A request that is answered and leaves the connection open.
  static func open(
    _ clause: String, _ request: String, _ statuses: Int..., has fields: String...
  ) -> RawCase {
    RawCase(
      clause: clause, request: request, statuses: statuses, keepsOpen: true, fields: fields)
  }

  /// A request whose last answer ends the connection.
  static func closed(
    _ clause: String, _ request: String, _ statuses: Int..., has fields: String...
  ) -> RawCase {
    RawCase(
      clause: clause, request: request, statuses: statuses, keepsOpen: false, fields: fields)
  }
}

extension RawCase {
  /// The cases by what they are about; each chapter has a server of its own.
  enum Chapter: CaseIterable {
    case requestLines, hosts, fieldLines, lengths, codings, connections
    case methods, expectations, conditions, others

    var cases: [RawCase] {
      switch self {
      case .requestLines: RawCase.requestLines
      case .hosts: RawCase.hosts
      case .fieldLines: RawCase.fieldLines
      case .lengths: RawCase.lengths
      case .codings: RawCase.codings
      case .connections: RawCase.connections
      case .methods: RawCase.methods
      case .expectations: RawCase.expectations
      case .conditions: RawCase.conditions
      case .others: RawCase.others
      }
    }
  }
}

/// A head of these lines, its end included.
func head(_ lines: String...) -> String {
  lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// `GET /healthz` with a Host and these lines.
func get(_ lines: String...) -> String {
  (["GET /healthz HTTP/1.1", "Host: h"] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
}

/// `GET` of three items with these lines.
func slice(_ lines: String..., method: String = "GET") -> String {
  (["\(method) /v1/qiita/items?limit=3 HTTP/1.1", "Host: h"] + lines).map { $0 + "\r\n" }.joined()
    + "\r\n"
}

/// A chunked `POST` of a method that is not allowed there: read whole, then refused.
func chunks(_ body: String) -> String {
  head("POST /healthz HTTP/1.1", "Host: h", "Transfer-Encoding: chunked") + body
}
