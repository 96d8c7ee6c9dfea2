import Feed
import HTTP
import Wire

extension OpenAPIDocument {
  /// A name in `fields`: no dot, comma or control byte, and no space at its ends.
  private static let name =
    #"[^\\u0000-\\u0020\\u007f.,]([^\\u0000-\\u001f\\u007f.,]*"#
    + #"[^\\u0000-\\u0020\\u007f.,])?"#

  /// The pattern of `fields`, as JSON has it.
  private static var fieldsPattern: String {
    let path = "\(name)(\\\\.\(name)){0,\(FieldSelection.namesMax - 1)}"
    return "^\(path)(,\(path)){0,\(FieldSelection.pathsMax - 1)}$"
  }

  /// The parameters, by the names that operations refer to them with.
  static var parameters: String {
    """
    "id":{"name":"id","in":"path","required":true,
    "description":"One part of the path, percent-encoded; at most \(PathParts.partBytesMax) bytes, \
    not . or .., no control bytes.",
    "schema":{"type":"string","minLength":1,"maxLength":\(PathParts.partBytesMax),
    "pattern":"^[^\\\\u0000-\\\\u001f\\\\u007f]+$"}},
    "limit":{"name":"limit","in":"query",
    "description":"How many items; above \(SliceRequest.limitMax) it is served as that.",
    "schema":{"type":"integer","minimum":1,"default":\(SliceQuery.limitDefault)}},
    \(bound(.startAfter, "Begin after this position; not with startAt.")),
    \(bound(.startAt, "Begin at this position; not with startAfter.")),
    \(bound(.endBefore, "End before this position; not with endAt.")),
    \(bound(.endAt, "End at this position; not with endBefore.")),
    \(flag("limitToLast", "Of a larger range keep the end; needs endBefore or endAt.")),
    "query":{"name":"query","in":"query",
    "description":"The source's own search text, at most \(SliceQuery.queryBytesMax) bytes.",
    "schema":{"type":"string","minLength":1,"maxLength":\(SliceQuery.queryBytesMax)}},
    "anyQuery":{"name":"query","in":"query",
    "description":"The search text, at most \(SliceQuery.queryBytesMax) bytes.",
    "schema":{"type":"string","maxLength":\(SliceQuery.queryBytesMax)}},
    "fields":{"name":"fields","in":"query",
    "description":"Cut each item to these: names between commas, dots go inside; at most \
    \(FieldSelection.pathsMax) paths, \(FieldSelection.namesMax) names deep, \
    \(FieldSelection.bytesMax) bytes.",
    "schema":{"type":"string","maxLength":\(FieldSelection.bytesMax),
    "pattern":"\(fieldsPattern)"}},
    \(flag("refresh", "Look at the top upstream first; not with a start position.")),
    \(flag("learned", "Also what was merely learnt, by reading further.")),
    "wait":{"name":"wait","in":"query",
    "description":"Milliseconds to wait for the upstream; 0 never asks it.",
    "schema":{"type":"integer","minimum":0,
    "maximum":\(SliceRequest.waitMax.inMilliseconds)}},
    "gap":{"name":"gap","in":"query","required":true,
    "description":"The id of a gap, from a slice or from the feed's status.",
    "schema":{"type":"string","minLength":1}},
    "since":\(since(isRequired: true)),
    "sinceOrNow":\(since(isRequired: false)),
    "sinceMerged":\(since(isRequired: true, isMerged: true)),
    "sinceMergedOrNow":\(since(isRequired: false, isMerged: true)),
    "sinceCall":{"name":"since","in":"query",
    "description":"The number of a call; the reply has those after it.",
    "schema":{"type":"integer","minimum":0,"default":0}},
    "startAfterFeed":{"name":"startAfter","in":"query",
    "description":"The name of a stored feed; the reply has those after it.",
    "schema":{"type":"string","minLength":1}},
    "page":{"name":"page","in":"query",
    "schema":{"type":"integer","minimum":1,"maximum":\(QiitaPage.pageMax),"default":1}},
    "per_page":{"name":"per_page","in":"query",
    "schema":{"type":"integer","minimum":1,"maximum":\(QiitaPage.perPageMax),
    "default":\(QiitaPage.perPageDefault)}},
    "cursor":{"name":"startAfter","in":"query",
    "description":"Where the page before ended, as rel=next has it; what is none is ignored.",
    "schema":{"type":"string"}},
    "If-None-Match":{"name":"If-None-Match","in":"header","schema":{"type":"string"}},
    "If-Modified-Since":{"name":"If-Modified-Since","in":"header","schema":{"type":"string"}},
    "Range":{"name":"Range","in":"header","description":"One range of bytes (RFC 9110 §14.2).",
    "schema":{"type":"string"}},
    "Last-Event-ID":{"name":"Last-Event-ID","in":"header",
    "description":"The last event a client had: it goes on after that.",
    "schema":{"type":"string"}}
    """
  }

  private static func bound(_ parameter: SliceParameter, _ description: String) -> String {
    """
    "\(parameter.rawValue)":{"name":"\(parameter.rawValue)","in":"query",
    "description":"\(description) A cursor, id:<identity> of an element, or, in a feed ordered by \
    value, at:<RFC 3339 time in whole seconds>.",
    "schema":{"type":"string","format":"position","minLength":1}}
    """
  }

  private static func flag(_ name: String, _ description: String) -> String {
    """
    "\(name)":{"name":"\(name)","in":"query",
    "description":"\(description)","schema":{"type":"boolean","default":false}}
    """
  }

  private static func since(isRequired: Bool, isMerged: Bool = false) -> String {
    let plain = """
      "maxLength":\(SequenceNumber.bytesMax),"pattern":"^[^.]+\\\\.[0-9]{1,18}(-[0-9]{1,18})?$"
      """
    return """
      {"name":"since","in":"query","required":\(isRequired),
      "description":"The seq of a slice or of a change; the reply has the changes after it.",
      "schema":{"type":"string",\(isMerged ? #""minLength":1"# : plain)}}
      """
  }

  /// The fields of answers.
  static var headers: String {
    let texts = [
      ("X-Request-Id", "The request's id: the client's own, or one of ours."),
      ("ETag", "Weak: over what the items, fields, cursors and hasMore are."),
      ("Link", "rel next, prev and first (RFC 8288)."),
      ("Cache-Control", "How long it is fresh; never public."),
      ("Cache-Status", "How it came about (RFC 9211)."),
      ("Via", "The servers that it came through (RFC 9110 §7.6.3)."),
      ("Vary", "Accept-Encoding, and Origin where origins are allowed."),
      ("Allow", "The methods that are allowed."),
      ("Content-Range", "Which bytes of how many these are."),
      ("WWW-Authenticate", "Bearer."),
    ]
    let numbers = [
      ("Age", "Seconds since it was last seen upstream."),
      ("Retry-After", "Seconds after which another try may do better."),
      ("Total-Count", "The feed's size."),
      ("Rate-Limit", "Upstream calls an hour."),
      ("Rate-Remaining", "Upstream calls left."),
      ("Rate-Reset", "When they are as many as ever again, in seconds since 1970."),
    ]
    let lines =
      texts.map { ($0, #"{"type":"string"}"#) }
      + numbers.map { ($0, #"{"type":"integer","minimum":0}"#) }
    return lines.map { header, schema in
      "\"\(header.0)\":{\"description\":\"\(header.1)\",\"schema\":\(schema)}"
    }.joined(separator: ",\n")
  }
}
