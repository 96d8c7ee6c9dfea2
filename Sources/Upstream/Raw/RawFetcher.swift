internal import Bytes
package import Feed
package import Freshness

/// Asks an upstream for what is no list, and gives the answer as it came: fields in order and as
/// often, the content never inflated, no redirect followed.
package struct RawFetcher: RawFetching {
  private let recipe: Recipe
  private let client: UpstreamClient
  private let clock: any TimeSource
  private let limits: TransferLimits
  private let credential: Recipe.Credential?

  /// A fetcher of what is below a recipe's base URL, with its own header lines and, where
  /// configured, its credential.
  package init(
    _ recipe: Recipe, client: UpstreamClient, clock: any TimeSource, limits: TransferLimits,
    sendsCredential: Bool
  ) {
    self.recipe = recipe
    self.client = client
    self.clock = clock
    self.limits = limits
    credential = sendsCredential ? recipe.credential : nil
  }

  /// See ``RawFetching``.
  package func fetch(
    _ call: OutgoingRequest, interim: @escaping @Sendable (Int, FieldList) -> Void
  ) async -> Fetched<RawAnswer> {
    let sentAt = clock.now
    let request = GetRequest(
      url: url(of: call), headerLines: lines(of: call),
      raw: .init(isHead: call.isHead, interim: interim))
    let answer = await client.get(request, limits: limits)
    let receivedAt = clock.now
    let fields = answer.head?.fields ?? FieldList()
    let date = fields["Date"].flatMap { HTTPDate.parse($0, now: receivedAt.seconds) }
    let whole = AnswerReader(body: (try? answer.body.get()) ?? [], fields: fields)
    return Fetched(
      sentAt: sentAt, receivedAt: receivedAt, date: date, age: fields.number("Age"),
      budget: BudgetReading(
        whole, recipe.rate, now: Budget.clock(date: date, receivedAt: receivedAt)),
      result: Result { () throws(FetchError) in
        let body = try answer.body.get()
        guard let head = answer.head, (200...599).contains(head.status) else {
          throw .malformed(reason: "no final answer")
        }
        return RawAnswer(
          head: StoredAnswer(
            status: head.status, fields: head.fields.dated(receivedAt), to: call.fields,
            askedAt: sentAt.milliseconds, respondedAt: receivedAt.milliseconds),
          body: body)
      })
  }

  private func url(of call: OutgoingRequest) -> String {
    let url = recipe.baseURL.text + call.target
    return credential?.added(to: url) ?? url
  }

  /// The header lines of a call. Those that libcurl would add by itself are left out, but for the
  /// name of the program where the client's own is not passed on.
  private func lines(of call: OutgoingRequest) -> [String] {
    var lines = call.fields.lines.map { line in
      // A field without a value is sent only where it ends in a semicolon.
      line.value.isEmpty
        ? "\(line.name);" : "\(line.name): \(String(decoding: line.value, as: UTF8.self))"
    }
    let own = recipe.headers.filter { !call.fields.has($0.name.lowercased()) }
    lines += own.map { "\($0.name): \($0.value)" }
    let hasAccept = call.fields.has("accept") || own.contains { $0.name.lowercased() == "accept" }
    if !hasAccept { lines.append("Accept:") }
    if let line = credential?.headerLine { lines.append(line) }
    return lines + ["Via: 1.1 tsugi"]
  }
}

extension FieldList {
  /// The fields with a `Date`: where the upstream sent none, when the answer came (RFC 9110
  /// §6.6.1).
  fileprivate func dated(_ receivedAt: Timestamp) -> FieldList {
    guard !has("date") else { return self }
    let date = FieldLine("Date", HTTPDate.text(seconds: receivedAt.seconds))
    return FieldList(lines + [date])
  }
}
