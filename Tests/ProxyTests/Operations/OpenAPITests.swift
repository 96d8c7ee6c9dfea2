import Assembly
import Feed
import Foundation
import HTTP
import Settings
import Simulator
import Testing
import Upstream
import Wire

@testable import Proxy

/// `/openapi.json` and the code say the same, both ways.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OpenAPITests {
  typealias Object = [String: Any]

  /// An operation as the document has it.
  struct Told {
    var method: String
    var path: String
    var tag: String
    /// Parameters by name, with where they stand and their schema.
    var parameters: [String: (place: String, isRequired: Bool, schema: Object)]
    /// The names of the answers, by their status.
    var answers: [String: String]

    /// The path with something in its variable parts.
    var target: String { path.replacingOccurrences(of: "{id}", with: "a") }
  }

  /// The document as a client reads it.
  struct Document {
    var root: Object
    var told: [Told] = []

    init(_ body: [UInt8]) throws {
      root = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? Object)
      let paths = try #require(root["paths"] as? [String: [String: Object]])
      for (path, methods) in paths {
        for (method, operation) in methods { told.append(try read(method, path, operation)) }
      }
    }

    private func read(_ method: String, _ path: String, _ operation: Object) throws -> Told {
      var parameters: [String: (place: String, isRequired: Bool, schema: Object)] = [:]
      for reference in try #require(operation["parameters"] as? [Object]) {
        let parameter = try resolved(reference)
        parameters[try #require(parameter["name"] as? String)] = (
          try #require(parameter["in"] as? String), parameter["required"] as? Bool ?? false,
          try #require(parameter["schema"] as? Object)
        )
      }
      let answers = try #require(operation["responses"] as? [String: [String: String]])
      return Told(
        method: method, path: path,
        tag: try #require((operation["tags"] as? [String])?.first), parameters: parameters,
        answers: answers.mapValues {
          $0["$ref"]?.split(separator: "/").last.map(String.init) ?? ""
        })
    }

    /// What a reference leads to.
    func resolved(_ object: Object) throws -> Object {
      guard let reference = object["$ref"] as? String else { return object }
      var place: Any? = root
      for name in reference.split(separator: "/").dropFirst() {
        place = (place as? Object)?[String(name)]
      }
      return try #require(place as? Object, "\(reference) leads nowhere")
    }

    /// The members of a schema: those that are always there, and all.
    func members(of schema: String) throws -> (always: Set<String>, all: Set<String>) {
      let schema = try resolved(["$ref": "#/components/schemas/\(schema)"])
      let properties = try #require(schema["properties"] as? Object)
      return (Set(schema["required"] as? [String] ?? []), Set(properties.keys))
    }

    /// Every reference in it.
    func references(in value: Any) -> [String] {
      if let object = value as? Object {
        let own = (object["$ref"] as? String).map { [$0] } ?? []
        return own + object.values.flatMap { references(in: $0) }
      }
      return (value as? [Any])?.flatMap { references(in: $0) } ?? []
    }
  }

  /// Something of one feed.
  private static func fruits(_ stand: Stand) -> SourceBinding {
    SourceBinding(
      name: "fruits", patterns: FileFetcher.patterns(), reader: stand.reader, kind: .file)
  }

  /// A stand that serves Qiita and something of one feed.
  private static func run(
    _ body: (Stand, Document) async throws -> Void
  ) async throws {
    var settings = ServerSettings()
    settings.page = { .shared }
    settings.tellsOperator = true
    let stand = try await Stand(smallWorld(50), settings: settings, exposesOwner: true)
    try await Stand.run(stand) { stand in
      let fruits = Self.fruits(stand)
      await stand.adopt(sources: [stand.binding, fruits])
      try await body(stand, try Document(try stand.client.get("/openapi.json").body))
    }
  }

  @Test func everyOperationIsRoutedAsItSays() async throws {
    try await Self.run { stand, document in
      let sources = ["qiita": stand.binding, "fruits": Self.fruits(stand)]
      for told in document.told {
        let route = try Route(told.target, sources: sources, qiita: stand.binding)
        #expect(route.name.rawValue == told.tag, "\(told.path)")
        let method = try #require(Method(rawValue: told.method.uppercased()))
        #expect(route.methods.contains(method), "\(told.path)")
        #expect(route.methods.subtracting([.head, .options]) == [method], "\(told.path)")
      }
    }
  }

  @Test func everyRouteIsTold() async throws {
    try await Self.run { _, document in
      let names = Set(Route.Name.allCases.map(\.rawValue))
        .subtracting(["none", "demo", "raw", "purge"])
      #expect(Set(document.told.map(\.tag)) == names)
      var paths: Set = [
        "/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/v1", "/v1:status",
      ]
      for (source, patterns) in [
        ("qiita", Presets.qiita.patterns), ("fruits", FileFetcher.patterns()),
      ] {
        paths.formUnion(["items/{id}"].map { "/v1/\(source)/\($0)" })
        paths.formUnion(["calls", "feeds"].map { "/v1/\(source):\($0)" })
        for pattern in patterns {
          let path = "/v1/\(source)/\(pattern.path.replacingOccurrences(of: ":id", with: "{id}"))"
          paths.formUnion([path] + FeedVerb.allCases.map { "\(path):\($0.rawValue)" })
          if pattern.path != "items" { paths.insert("\(path)/{item}") }
          guard source == "qiita" else { continue }
          paths.insert(path.replacingOccurrences(of: "/v1/qiita", with: "/api/v2"))
        }
      }
      for kind in QiitaPage.kinds { paths.insert("/api/v2/\(kind.word)/{id}") }
      #expect(Set(document.told.map(\.path)) == paths)
      #expect(document.told.count == paths.count)
    }
  }

  @Test func everyReferenceLeadsSomewhere() async throws {
    try await Self.run { _, document in
      let references = Set(document.references(in: document.root))
      #expect(references.count > 60)
      for reference in references { _ = try document.resolved(["$ref": reference]) }
    }
  }

  /// A value of each parameter that is well-formed, whatever becomes of it.
  private static let values = [
    "limit": "5", "startAfter": "id:a", "startAt": "id:a", "endBefore": "id:a", "endAt": "id:a",
    "limitToLast": "false", "query": "a", "fields": "id", "refresh": "false", "wait": "0",
    "learned": "true", "gap": "a", "since": "a.1", "page": "1", "per_page": "5",
  ]

  private static func problem(
    _ stand: Stand, _ told: Told, _ query: [String: String]
  ) throws -> ProblemDetails? {
    var query = query
    for (name, parameter) in told.parameters where parameter.isRequired {
      guard parameter.place == "query", query[name] == nil else { continue }
      query[name] = values[name]
    }
    let text = query.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    let target = told.target + (text.isEmpty ? "" : "?\(text)")
    let reply =
      told.method == "post" ? try stand.client.post(target) : try stand.client.get(target)
    return reply.status < 400 ? nil : try reply.problem()
  }

  @Test func everyParameterIsTakenWhereItIsToldAndNowhereElse() async throws {
    try await Self.run { stand, document in
      let names = Set(
        document.told.flatMap { told in
          told.parameters.filter { $0.value.place == "query" }.keys
        })
      #expect(names == Set(Self.values.keys))
      #expect(names.isSuperset(of: SliceParameter.allCases.map(\.rawValue)))
      // Of several of one kind one is asked; who listens would go on for ever.
      let kinds = Dictionary(
        grouping: document.told.filter { $0.path.hasPrefix("/v1/") && $0.tag != "events" },
        by: { "\($0.tag) \($0.parameters.keys.sorted())" })
      #expect(kinds.count >= 9)
      for told in kinds.values.compactMap(\.first) {
        for name in names {
          var query = [name: Self.values[name] ?? ""]
          if told.parameters["wait"] != nil { query["wait"] = "0" }
          let problem = try Self.problem(stand, told, query)
          let isUnknown = problem?.detail.hasPrefix("The parameter is not known here;") == true
          #expect(isUnknown == (told.parameters[name] == nil), "\(told.path) \(name)")
        }
      }
    }
  }

  /// A parameter, whether its range ends above or below, and where it is asked.
  @Test(arguments: [
    ("limit", "minimum", -1), ("wait", "minimum", -1), ("wait", "maximum", 1),
  ])
  func rangesAreThoseOfTheServer(_ name: String, _ bound: String, _ beyond: Int) async throws {
    try await Self.run { stand, document in
      let told = try #require(document.told.first { $0.path == "/v1/qiita/items" })
      let value = try #require(told.parameters[name]?.schema[bound] as? Int)
      let (within, without) = (
        try Self.problem(stand, told, [name: "\(value)"]),
        try Self.problem(stand, told, [name: "\(value + beyond)"])
      )
      #expect(within?.parameter == nil && without?.parameter == name)
    }
  }

  @Test(arguments: ["page", "per_page"])
  func pagesAreThoseOfTheServer(_ name: String) async throws {
    try await Self.run { stand, document in
      let told = try #require(document.told.first { $0.path == "/api/v2/items" })
      let schema = try #require(told.parameters[name]?.schema)
      let least = try #require(schema["minimum"] as? Int)
      let most = try #require(schema["maximum"] as? Int)
      for (value, status) in [(least, 200), (least - 1, 400), (most + 1, 400)] {
        #expect(try stand.client.get("/api/v2/items?\(name)=\(value)").status == status)
      }
      #expect(try stand.client.get("/api/v2/items?\(name)=\(most)").status != 400)
    }
  }

  @Test func everyErrorCodeIsTold() async throws {
    try await Self.run { _, document in
      let problem = try document.resolved(["$ref": "#/components/schemas/Problem"])
      let code = (problem["properties"] as? Object)?["code"] as? Object
      #expect(code?["enum"] as? [String] == ProblemCode.allCases.map(\.rawValue))
      let responses = try #require(
        (document.root["components"] as? Object)?["responses"] as? [String: Object])
      var told: [String: Set<Int>] = [:]
      for (name, response) in responses where name.hasPrefix("Problem") {
        let status = try #require(Int(name.dropFirst("Problem".count)))
        let content = try #require(response["content"] as? [String: [String: Object]])
        let schema = try #require(content["application/problem+json"]?["schema"])
        let own = try #require((schema["allOf"] as? [Object])?.last?["properties"] as? Object)
        #expect((own["status"] as? Object)?["const"] as? Int == status)
        for code in try #require((own["code"] as? Object)?["enum"] as? [String]) {
          told[code, default: []].insert(status)
        }
      }
      for code in ProblemCode.allCases {
        let more: Set = code == .badRequest ? [412, 417] : []
        #expect(told[code.rawValue] == more.union([code.status]), "\(code)")
      }
      #expect(told.count == ProblemCode.allCases.count)
    }
  }

  @Test func everyShapeIsTold() async throws {
    try await Self.run { _, document in
      for shape in Shape.all {
        let (always, all) = try document.members(of: shape.name)
        #expect(always == Set(shape.members.filter(\.isRequired).map(\.name)), "\(shape.name)")
        #expect(all == Set(shape.members.map(\.name)), "\(shape.name)")
      }
    }
  }

  @Test func isServedLikeEverythingElse() async throws {
    try await Self.run { stand, _ in
      let reply = try stand.client.get("/openapi.json")
      #expect(reply.status == 200 && reply["Content-Type"] == "application/json")
      let tag = try #require(reply["ETag"])
      let known = try stand.client.get("/openapi.json", ["If-None-Match: \(tag)"])
      #expect(known.status == 304 && known.body.isEmpty && known["ETag"] == tag)
      let head = try stand.client.get("/openapi.json", method: "HEAD")
      #expect(head["Content-Length"] == "\(reply.body.count)" && head["ETag"] == tag)
      let options = try stand.client.get("/openapi.json", method: "OPTIONS")
      #expect(options.status == 204 && options["Allow"] == "GET, HEAD, OPTIONS")
      #expect(try stand.client.get("/openapi.json", method: "DELETE").status == 405)
      let packed = try stand.client.get("/openapi.json", ["Accept-Encoding: gzip"])
      #expect(packed["Content-Encoding"] == "gzip" && packed.body.count < reply.body.count / 10)
    }
  }

  @Test func tellsWhetherAKeyIsNeededAndWhereTheServerIs() async throws {
    try await Self.run { stand, document in
      #expect((document.root["security"] as? [Object])?.count == 2)
      await stand.adopt {
        $0.gate.apiKeys = [Array("0123456789".utf8)]
        $0.publicURL = "https://a.example/\"api\""
      }
      #expect(try stand.client.get("/openapi.json").status == 401)
      let reply = try stand.client.get("/openapi.json", ["Authorization: Bearer 0123456789"])
      #expect(reply["Cache-Control"] == "private, no-cache")
      let closed = try Document(reply.body)
      #expect((closed.root["security"] as? [Object])?.count == 1)
      let servers = closed.root["servers"] as? [[String: String]]
      #expect(servers == [["url": "https://a.example/\"api\""]])
      #expect(!closed.told.contains { $0.path.hasPrefix("/v1/fruits") })
    }
  }
}
