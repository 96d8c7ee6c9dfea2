import Crowd
import Dispatch
import Foundation
import Glibc
import JSONBytes
import Wire

/// A reply as it came over the socket.
struct Reply: Sendable {
  var status: Int
  var fields: [(name: String, value: String)]
  var body: [UInt8]

  subscript(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as a slice, the items left as they are. Throws ``WrongShape``.
  func slice() throws -> SliceReply {
    try hold(to: "Slice")
    return try SliceReply(body)
  }

  /// The body as a problem. Throws ``WrongShape``.
  func problem() throws -> ProblemDetails {
    try hold(to: "Problem")
    return try JSONDecoder().decode(ProblemDetails.self, from: Data(body))
  }
}

/// A slice with its items' own bytes.
struct SliceReply {
  var envelope: SliceEnvelope
  var items: [[UInt8]]
  var ids: [String]

  /// A slice whose elements' identities are numbers: `ids` has none.
  init(numbered body: [UInt8]) throws {
    envelope = try JSONDecoder().decode(SliceEnvelope.self, from: Data(body))
    let range = try JSON.member("items", of: body[...]) ?? 0..<0
    items = try JSON.elements(of: body[range]).map { Array(body[$0]) }
    ids = []
  }

  init(_ body: [UInt8]) throws {
    envelope = try JSONDecoder().decode(SliceEnvelope.self, from: Data(body))
    let range = try JSON.member("items", of: body[...]) ?? 0..<0
    items = try JSON.elements(of: body[range]).map { Array(body[$0]) }
    ids = try items.map { item in
      let own = try JSON.member("id", of: item[...])
      let id = try own ?? JSON.member(at: ["user", "id"], of: item[...]) ?? 0..<0
      let isNumber = JSON.isWholeNumber(item[id])
      return String(decoding: isNumber ? Array(item[id]) : try JSON.text(item[id]), as: UTF8.self)
    }
  }
}

/// Asks a server on this machine, one connection a request.
struct Client: Sendable {
  let port: Int

  enum Failure: Error {
    case system(String, Int32)
    case noHead
  }

  /// Sends `GET target` and reads the whole reply; the connection ends after it.
  func get(_ target: String, _ lines: [String] = [], method: String = "GET") throws -> Reply {
    try ask([(method, target)], ["Connection: close"] + lines)[0]
  }

  /// Sends `POST target` with a body and reads the whole reply; the connection ends after it.
  func post(_ target: String, _ lines: [String] = [], body: String = "") throws -> Reply {
    let head = ["POST \(target) HTTP/1.1", "Host: localhost", "Connection: close"] + lines
    let length = "Content-Length: \(body.utf8.count)"
    let request = (head + [length]).joined(separator: "\r\n") + "\r\n\r\n" + body
    var bytes = try exchange(request)[...]
    return try Client.takeReply(to: "POST", from: &bytes)
  }

  /// Sends a request that asks for nothing special and leaves its connection open: one that a
  /// finished answer may be given to.
  func hit(_ target: String, _ lines: [String] = [], method: String = "GET") throws -> Reply {
    try ask([(method, target)], lines)[0]
  }

  /// Sends a request that names another host.
  func hit(_ target: String, at host: String) throws -> Reply {
    var bytes = try exchange("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")[...]
    return try Client.takeReply(to: "GET", from: &bytes)
  }

  /// Sends requests, each with these field lines, all at once over one connection; as many replies.
  func ask(_ requests: [(method: String, target: String)], _ lines: [String]) throws -> [Reply] {
    let heads = requests.map { request in
      (["\(request.method) \(request.target) HTTP/1.1", "Host: localhost"] + lines)
        .joined(separator: "\r\n") + "\r\n\r\n"
    }
    var bytes = try exchange(heads.joined())[...]
    return try requests.map { try Client.takeReply(to: $0.method, from: &bytes) }
  }

  /// Takes the first reply off `bytes`; one to HEAD has no body.
  static func takeReply(
    to method: String, from bytes: inout ArraySlice<UInt8>
  ) throws -> Reply {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Failure.noHead }
    let rows = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(
      separatedBy: "\r\n")
    let fields = rows.dropFirst().compactMap { row -> (name: String, value: String)? in
      guard let colon = row.firstIndex(of: ":") else { return nil }
      return (
        String(row[..<colon]), row[row.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      )
    }
    let status = Int(rows[0].split(separator: " ")[1]) ?? 0
    var reply = Reply(status: status, fields: fields, body: [])
    let length = method == "HEAD" ? 0 : Int(reply["Content-Length"] ?? "") ?? 0
    reply.body = Array(bytes[end.upperBound...].prefix(length))
    bytes = bytes[end.upperBound...].dropFirst(length)
    return reply
  }

  /// Follows `next` from a target to the end, at most `most` slices.
  func walk(_ target: String, most: Int = 100_000) throws -> [SliceReply] {
    var slices: [SliceReply] = []
    var next: String? = target
    while let target = next, slices.count < most {
      let reply = try get(target)
      guard reply.status == 200 else { throw WalkFailure(target: target, reply: reply) }
      let slice = try reply.slice()
      slices.append(slice)
      next = slice.envelope.next
    }
    return slices
  }

  /// A walk that met an error.
  struct WalkFailure: Error, CustomStringConvertible {
    var target: String
    var reply: Reply

    var description: String {
      "\(target): \(reply.status) \(String(decoding: reply.body, as: UTF8.self))"
    }
  }

  /// Sends `text` as it is, ends this side unless more could come, and gives all that comes back.
  func exchange(_ text: String, endsSending: Bool = true) throws -> [UInt8] {
    let descriptor = try connectedSocket(port)
    defer { close(descriptor) }
    let request = Array(text.utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    else { throw Failure.system("send", errno) }
    // Nothing more is asked: the server closes when it has answered.
    if endsSending { shutdown(descriptor, Int32(SHUT_WR)) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw Failure.system("recv", errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
