import Bytes
import HTTP
import JSONBytes
import Wire

/// The API in OpenAPI 3.1, true to what this server offers: its sources, whether it asks for a key,
/// and its public URL. It is made once for each configuration.
///
/// Paths are written from ``APIOperation``; what they refer to stands in
/// `OpenAPIDocument+Parameters.swift` and `OpenAPIDocument+Schemas.swift` as it is served, with the
/// numbers of the code in it. A test compares all of it with the code, both ways.
struct OpenAPIDocument {
  /// Its bytes.
  let body: [UInt8]
  /// Its tag.
  let entityTag: String

  /// The document of a server that offers these operations.
  init(_ operations: [APIOperation], publicURL: String?, asksForKey: Bool) {
    let json = """
      {"openapi":"3.1.0",
      "info":{"title":"Tsugi","version":"1",
      "description":"A feed without a seam over an API whose numbered pages shift. HEAD answers \
      like GET without the body, and OPTIONS lists what is allowed, at every path."},
      "servers":[{"url":\(OpenAPIDocument.text(publicURL ?? "/"))}],
      "security":[{"key":[]}\(asksForKey ? "" : ",{}")],
      "paths":{\(operations.map(OpenAPIDocument.path).joined(separator: ",\n"))},
      "components":{
      "securitySchemes":{"key":{"type":"http","scheme":"bearer"}},
      "parameters":{\(OpenAPIDocument.parameters)},
      "headers":{\(OpenAPIDocument.headers)},
      "responses":{\(OpenAPIDocument.answers),
      \(OpenAPIDocument.problems)},
      "schemas":{\(OpenAPIDocument.schemas)}}}

      """
    body = Array(json.utf8)
    var digest = Digest()
    digest.add(body)
    entityTag = digest.entityTag
  }

  /// `"/v1/qiita/items":{"get":{…}}`
  private static func path(_ operation: APIOperation) -> String {
    let id = operation.path.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    let parameters = operation.parameters.map(\.json)
    let form = operation.isQiitas ? "Qiita" : "Problem"
    // What the upstream refuses has its own form.
    let others =
      operation.route == .raw
      ? [("206", "RawPart"), ("default", "RawOther")]
      : operation.errors.map { ("\($0)", "\(form)\($0)") }
    let unchanged = operation.hasValidator ? [("304", "Unchanged")] : []
    let responses = ([("200", operation.answer)] + unchanged + others).map { status, name in
      ##""\##(status)":{"$ref":"#/components/responses/\##(name)"}"##
    }
    let isProbe = operation.route == .healthz || operation.route == .readyz
    return """
      \(text(operation.path)):{"\(operation.method)":{"operationId":"\(String(id))",
      "tags":["\(operation.route.rawValue)"],"summary":\(text(operation.summary)),
      \(isProbe ? #""security":[],"# : "")"parameters":[\(parameters.joined(separator: ",\n"))],
      "responses":{\(responses.joined(separator: ",\n"))}}}
      """
  }

  /// The answers of errors by their status, in our own form and in Qiita's.
  private static var problems: String {
    // A condition that fails, and an expectation that cannot be met, have statuses of their own.
    var codes: [Int: [ProblemCode]] = [412: [.badRequest], 417: [.badRequest]]
    for code in ProblemCode.allCases { codes[code.status, default: []].append(code) }
    return codes.sorted { $0.key < $1.key }.map { status, codes in
      let names = codes.map { text($0.rawValue) }.joined(separator: ",")
      let titles = text(codes.map(\.title).joined(separator: "; "))
      let extra = [
        401: ["WWW-Authenticate"], 405: ["Allow"], 412: ["ETag", "Link", "Vary"],
      ]
      let retry = [403, 429, 502, 503, 504].contains(status) ? ["Retry-After"] : []
      let fields = (["X-Request-Id", "Cache-Control"] + (extra[status] ?? retry))
        .map { ##""\##($0)":{"$ref":"#/components/headers/\##($0)"}"## }.joined(separator: ",")
      let problem = """
        "application/problem+json":{"schema":{"allOf":[{"$ref":"#/components/schemas/Problem"},
        {"properties":{"status":{"const":\(status)},"code":{"enum":[\(names)]}}}]}}
        """
      // What the HTTP server itself refuses has no path yet, and so our own form.
      return """
        "Problem\(status)":{"description":\(titles),"headers":{\(fields)},
        "content":{\(problem)}},
        "Qiita\(status)":{"description":\(titles),"headers":{\(fields)},
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/QiitaError"}},
        \(problem)}}
        """
    }.joined(separator: ",\n")
  }

  /// A text as JSON.
  static func text(_ text: String) -> String {
    var json = JSONWriter()
    json.append(text)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
